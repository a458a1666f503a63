import { constantsOf, type NameTable } from './name-table.ts';

export const renderValueTable = {
  ClusterName: { value: 'ClusterName', on: ['ManagedClusterAddOn'], meaning: 'Name of the managed cluster.' },
  InstallNamespace: { value: 'AddonInstallNamespace', on: ['ManagedClusterAddOn'], meaning: 'Install namespace.' },
  InstallMode: { value: 'InstallMode', on: ['ManagedClusterAddOn'], meaning: 'Default or Hosted.' },
  HubKubeconfigSecret: {
    value: 'HubKubeConfigSecret',
    on: ['ManagedClusterAddOn'],
    meaning: 'Secret with the credentials for the hub.',
  },
  ManagedKubeconfigSecret: {
    value: 'ManagedKubeConfigSecret',
    on: ['ManagedClusterAddOn'],
    meaning: 'Secret with the credentials for the managed cluster, in hosted mode.',
  },
  NodeSelector: { value: 'NodeSelector', on: ['AddOnDeploymentConfig'], meaning: 'Nodes of the agent.' },
  Tolerations: { value: 'Tolerations', on: ['AddOnDeploymentConfig'], meaning: 'Tolerations of the agent.' },
  HttpProxy: { value: 'HTTPProxy', on: ['AddOnDeploymentConfig'], meaning: 'Proxy for http.' },
  HttpsProxy: { value: 'HTTPSProxy', on: ['AddOnDeploymentConfig'], meaning: 'Proxy for https.' },
  NoProxy: { value: 'NoProxy', on: ['AddOnDeploymentConfig'], meaning: 'Hosts without proxy.' },
  ProxyCaBundle: { value: 'ProxyCABundle', on: ['AddOnDeploymentConfig'], meaning: 'CA of the proxy.' },
  ResourceRequirements: {
    value: 'ResourceRequirements',
    on: ['AddOnDeploymentConfig'],
    meaning: 'Resources of containers.',
  },
} as const satisfies NameTable;

export const helmValueTable = {
  ClusterName: { value: 'clusterName', on: ['ManagedClusterAddOn'], meaning: 'Name of the managed cluster.' },
  InstallNamespace: { value: 'addonInstallNamespace', on: ['ManagedClusterAddOn'], meaning: 'Install namespace.' },
  InstallMode: { value: 'installMode', on: ['ManagedClusterAddOn'], meaning: 'Default or Hosted.' },
  HubKubeconfigSecret: {
    value: 'hubKubeConfigSecret',
    on: ['ManagedClusterAddOn'],
    meaning: 'Secret with the credentials for the hub.',
  },
  ManagedKubeconfigSecret: {
    value: 'managedKubeConfigSecret',
    on: ['ManagedClusterAddOn'],
    meaning: 'Secret with the credentials for the managed cluster, in hosted mode.',
  },
  HostingClusterCapabilities: {
    value: 'hostingClusterCapabilities',
    on: ['ManagedClusterAddOn'],
    meaning: 'Version of the hosting cluster.',
  },
} as const satisfies NameTable;

/** Values that template files of add-ons may use. */
export const RenderValue = /* @__PURE__ */ constantsOf(renderValueTable);

/** Values that Helm charts of add-ons may use. */
export const HelmValue = /* @__PURE__ */ constantsOf(helmValueTable);
