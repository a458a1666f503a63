/** The claim by which the guide finds clusters of AWS. */
export const claimOfAws = `apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: ClusterClaim
metadata:
  name: platform.open-cluster-management.io
spec:
  value: aws
`;

/** A Placement in the namespace default. */
export const placement = (name: string, spec: string): string => `apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata:
  name: ${name}
  namespace: default
spec:
${spec}`;

const defaults = `  supportedConfigs:
    - defaultConfig:
        name: default-deploy-config
        namespace: open-cluster-management
      group: addon.open-cluster-management.io
      resource: addondeploymentconfigs
    - defaultConfig:
        name: default-addon-template
        namespace: open-cluster-management
      group: addon.open-cluster-management.io
      resource: addontemplates
`;

const lifecycle = `  annotations:
    addon.open-cluster-management.io/lifecycle: "addon-manager"
`;

/** The ClusterManagementAddOn of the guide. */
export const offer = (
  spec: string,
  { isManaged = true, withDefaults = false }: { isManaged?: boolean; withDefaults?: boolean } = {},
): string => `apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: helloworld
${isManaged ? lifecycle : ''}spec:
  addOnMeta:
    displayName: helloworld
${withDefaults ? defaults : ''}${spec}`;

/** An AddOnDeploymentConfig as the guide names them. Only that of a placement keeps the namespace of the template. */
export const namedConfigs = (name: string, of: string): string => `apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: ${name}
  namespace: open-cluster-management
spec:
${of === 'override' ? '  agentInstallNamespace: ""\n' : ''}  customizedVariables:
    - name: OF
      value: ${of}
`;

/** An AddOnTemplate as the guide names them: its agent prints of which template and which configuration it is. */
export const template = (name: string, of: string): string => `apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: ${name}
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
        - apiVersion: v1
          kind: Namespace
          metadata:
            name: helloworld
        - apiVersion: apps/v1
          kind: Deployment
          metadata:
            name: helloworld-agent
            namespace: helloworld
          spec:
            selector:
              matchLabels:
                app: helloworld-agent
            template:
              metadata:
                labels:
                  app: helloworld-agent
              spec:
                containers:
                  - name: agent
                    image: busybox
                    command: ["sh", "-c", "echo ${of} template, {{OF}} configuration && sleep 3600"]
`;
