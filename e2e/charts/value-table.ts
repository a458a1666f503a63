import type { ChartValues } from './release.ts';

const placement = {
  nodeSelector: { pool: 'system' },
  tolerations: [{ key: 'system', operator: 'Exists' }],
};
const enabled = { enabled: true, labels: { release: 'prometheus' } };
const resourceRequirement = {
  type: 'ResourceRequirement' as const,
  resourceRequirements: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '512Mi' } },
};

/** Values by what a user wants: Helm and the command line must make the same of each. */
export const valueTable: Readonly<Record<string, ChartValues>> = {
  'a hub, as it comes': { chart: 'cluster-manager', values: {} },
  'a hub for which others write the ClusterManager': {
    chart: 'cluster-manager',
    values: { clusterManager: { create: false } },
  },
  'tokens of a service account and a bootstrap token': {
    chart: 'cluster-manager',
    values: {
      createBootstrapSA: true,
      createBootstrapToken: true,
      bootstrapToken: { secret: 'abcdefgh01234567', expiration: '2030-01-01T00:00:00Z' },
      clusterManager: { registrationConfiguration: { autoApproveUsers: ['ann'] } },
    },
  },
  'images of a private registry': {
    chart: 'cluster-manager',
    values: {
      images: {
        registry: 'registry.example.com/fleet',
        tag: 'v9.9.9',
        imagePullPolicy: 'Always',
        overrides: { placementImage: 'other.example.com/placement:1' },
        imageCredentials: { createImageCredentials: true, userName: 'ann', password: 'p<&>' },
      },
    },
  },
  'credentials for images as a file': {
    chart: 'cluster-manager',
    values: { images: { imageCredentials: { createImageCredentials: true, dockerConfigJson: '{"auths":{"a":{}}}' } } },
  },
  'a hub through which users reach clusters, and which reaches some itself': {
    chart: 'cluster-manager',
    values: {
      clusterManager: {
        serverConfiguration: {
          imagePullSpec: 'registry.example.com/hub:1',
          featureGates: [
            { feature: 'ClusterProxy', mode: 'Enable' },
            { feature: 'PushAgents', mode: 'Enable' },
          ],
          endpointsExposure: [
            {
              protocol: 'https',
              usage: 'cluster-proxy',
              https: { type: 'hostname', hostname: { host: 'proxy.example.com:443' } },
            },
          ],
        },
      },
    },
  },
  'an agent that lets users of the hub in, with labels': {
    chart: 'klusterlet',
    values: {
      klusterlet: {
        clusterName: 'c1',
        registrationConfiguration: {
          featureGates: [{ feature: 'ClusterProxy', mode: 'Enable' }],
          clusterLabels: { region: 'eu' },
        },
      },
    },
  },
  'a hub with drivers, features, sizes and gRPC': {
    chart: 'cluster-manager',
    values: {
      replicaCount: 1,
      enableSyncLabels: true,
      ...placement,
      resources: { limits: { memory: '256Mi' } },
      clusterManager: {
        mode: 'Hosted',
        resourceRequirement,
        nodePlacement: placement,
        registrationConfiguration: {
          featureGates: [{ feature: 'ManagedClusterAutoApproval', mode: 'Enable' }],
          registrationDrivers: [
            { authType: 'awsirsa', awsirsa: { hubClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/hub' } },
            { authType: 'grpc', grpc: { autoApprovedIdentities: ['ann'] } },
          ],
        },
        workConfiguration: { featureGates: [{ feature: 'ManifestWorkReplicaSet', mode: 'Enable' }] },
        placementConfiguration: { featureGates: [{ feature: 'PlacementDebugServer', mode: 'Enable' }] },
        serverConfiguration: {
          endpointsExposure: [{ protocol: 'grpc', grpc: { type: 'hostname', hostname: { host: 'grpc.example.com' } } }],
        },
      },
    },
  },
  'an operator that is protected, with further arguments': {
    chart: 'cluster-manager',
    values: {
      deploymentReplicas: 2,
      extraArgs: ['--skip-remove-crds', '--control-plane-node-label-selector=pool=system'],
      priorityClassName: 'fleet',
      podDisruptionBudget: { enabled: true },
      networkPolicy: { enabled: true },
    },
  },
  'an operator of agents that is protected, with further arguments': {
    chart: 'klusterlet',
    values: {
      deploymentReplicas: 2,
      extraArgs: ['--grant-work-payloads=false'],
      podDisruptionBudget: { enabled: true },
      networkPolicy: { enabled: true },
      klusterlet: { clusterName: 'c1' },
    },
  },
  'monitors, alerts and a dashboard': {
    chart: 'cluster-manager',
    values: {
      monitoring: { serviceMonitor: enabled, prometheusRule: enabled, grafanaDashboard: { enabled: true } },
    },
  },
  'an agent, with the one value that is required': {
    chart: 'klusterlet',
    values: { klusterlet: { clusterName: 'c1' } },
  },
  'an agent with its first access to the hub': {
    chart: 'klusterlet',
    values: {
      bootstrapHubKubeConfig: 'apiVersion: v1\nkind: Config\n',
      grpcConfig: 'url: grpc.example.com:443\n',
      priorityClassName: 'agents',
      enableSyncLabels: true,
      images: { imageCredentials: { createImageCredentials: true } },
      klusterlet: {
        mode: 'Default',
        clusterName: '007',
        namespace: 'open-cluster-management-x',
        externalServerURLs: [{ url: 'https://c1.example.com:6443' }],
        hubApiServerHostAlias: { ip: '10.0.0.1', hostname: 'hub.example.com' },
        resourceRequirement,
        nodePlacement: placement,
        registrationConfiguration: {
          clusterAnnotations: { 'agent.open-cluster-management.io/a': 'b' },
          clientCertExpirationSeconds: 3600,
        },
        workConfiguration: { statusSyncInterval: '10s' },
      },
    },
  },
  'an agent in the namespace of its operator': {
    chart: 'klusterlet',
    values: { bootstrapHubKubeConfig: 'k', klusterlet: { clusterName: 'c1', namespace: 'open-cluster-management' } },
  },
  'an agent of two hubs': {
    chart: 'klusterlet',
    values: {
      klusterlet: { clusterName: 'c1' },
      multiHubBootstrapHubKubeConfigs: [
        { name: 'bootstrap-a', kubeConfig: 'a' },
        { name: 'bootstrap-b', kubeConfig: 'b' },
      ],
    },
  },
  'a hosted agent': {
    chart: 'klusterlet',
    values: {
      bootstrapHubKubeConfig: 'k',
      externalManagedKubeConfig: 'm',
      klusterlet: { mode: 'SingletonHosted', clusterName: 'c1' },
    },
  },
  'an agent where the operator runs already': {
    chart: 'klusterlet',
    values: {
      noOperator: true,
      klusterlet: { clusterName: 'c1', name: 'second' },
      monitoring: { serviceMonitor: enabled },
    },
  },
};
