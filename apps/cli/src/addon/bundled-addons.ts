/** Add-ons that this program brings, as manifests. The files of `examples/addons` are the same. */
export const bundledAddOns: Readonly<Record<string, string>> = {
  helloworld: `# An add-on without code: what it consists of, how it is configured, and what the hub offers.
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: helloworld-0.0.1
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
        - apiVersion: v1
          kind: ServiceAccount
          metadata:
            name: helloworld-agent
            namespace: open-cluster-management-agent-addon
        - apiVersion: apps/v1
          kind: Deployment
          metadata:
            name: helloworld-agent
            namespace: open-cluster-management-agent-addon
            labels:
              app: helloworld-agent
          spec:
            replicas: 1
            selector:
              matchLabels:
                app: helloworld-agent
            template:
              metadata:
                labels:
                  app: helloworld-agent
              spec:
                serviceAccountName: helloworld-agent
                containers:
                  - name: agent
                    image: busybox:1.37
                    command: ["sh", "-c", 'while true; do echo "{{GREETING}} from {{CLUSTER_NAME}}"; sleep 60; done']
---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: AddOnDeploymentConfig
metadata:
  name: helloworld
  namespace: open-cluster-management
spec:
  agentInstallNamespace: open-cluster-management-agent-addon
  customizedVariables:
    - name: GREETING
      value: Hello
---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: ClusterManagementAddOn
metadata:
  name: helloworld
  annotations:
    addon.open-cluster-management.io/lifecycle: addon-manager
spec:
  addOnMeta:
    displayName: Hello World
    description: Greets from each cluster, in words that a configuration chooses.
  defaultConfigs:
    - group: addon.open-cluster-management.io
      resource: addontemplates
      name: helloworld-0.0.1
    - group: addon.open-cluster-management.io
      resource: addondeploymentconfigs
      namespace: open-cluster-management
      name: helloworld
`,
};
