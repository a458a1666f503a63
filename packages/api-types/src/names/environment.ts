import { constantsOf, type NameTable } from './name-table.ts';

export const environmentTable = {
  PodName: { value: 'POD_NAME', on: ['Pod'], meaning: 'Name of the pod, put on every log line.' },
  PodNamespace: { value: 'POD_NAMESPACE', on: ['Pod'], meaning: 'Namespace of the pod.' },
  AgentImage: { value: 'AGENT_IMAGE', on: ['Pod'], meaning: 'Operator image that imports install.' },
  CertRefresh: {
    value: 'CERT_CALLBACK_REFRESH_DURATION',
    on: ['Pod'],
    meaning: 'How often client certificates are read again; for tests.',
  },
  HubKubeconfig: { value: 'HUB_KUBECONFIG', on: ['AddOnTemplate', 'Pod'], meaning: 'Path of the hub kubeconfig.' },
  ClusterName: { value: 'CLUSTER_NAME', on: ['AddOnTemplate', 'Pod'], meaning: 'Name of the managed cluster.' },
  InstallNamespace: {
    value: 'INSTALL_NAMESPACE',
    on: ['AddOnTemplate', 'Pod'],
    meaning: 'Namespace that the add-on is installed in.',
  },
  HttpProxy: { value: 'HTTP_PROXY', on: ['AddOnTemplate', 'Pod'], meaning: 'Proxy for http; also set in lower case.' },
  HttpsProxy: {
    value: 'HTTPS_PROXY',
    on: ['AddOnTemplate', 'Pod'],
    meaning: 'Proxy for https; also set in lower case.',
  },
  NoProxy: { value: 'NO_PROXY', on: ['AddOnTemplate', 'Pod'], meaning: 'Hosts without proxy; also in lower case.' },
  CaBundleFilePath: {
    value: 'CA_BUNDLE_FILE_PATH',
    on: ['AddOnTemplate', 'Pod'],
    meaning: 'Path of the CA bundle of the proxy.',
  },
} as const satisfies NameTable;

export const templateValueTable = {
  NodePlacement: { value: '__NODE_PLACEMENT', on: ['AddOnTemplate'], meaning: 'Node selector and tolerations.' },
  Registries: { value: '__REGISTRIES', on: ['AddOnTemplate'], meaning: 'Image registries and mirrors.' },
  InstallNamespace: { value: '__INSTALL_NAMESPACE', on: ['AddOnTemplate'], meaning: 'Namespace of the agent.' },
  Proxy: { value: '__PROXY', on: ['AddOnTemplate'], meaning: 'Proxy configuration.' },
  ResourceRequirements: {
    value: '__RESOURCE_REQUIREMENTS',
    on: ['AddOnTemplate'],
    meaning: 'Resources of containers.',
  },
} as const satisfies NameTable;

/** Environment variables that OCM's processes read or that add-on agents are given. */
export const EnvironmentVariable = /* @__PURE__ */ constantsOf(environmentTable);

/** Private values of template rendering, which no template can substitute. */
export const PrivateTemplateValue = /* @__PURE__ */ constantsOf(templateValueTable);
