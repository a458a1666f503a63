import { constantsOf, type NameTable } from './name-table.ts';

export const dataKeyTable = {
  Kubeconfig: { value: 'kubeconfig', on: ['Secret', 'ConfigMap'], meaning: 'A kubeconfig file.' },
  ClusterName: { value: 'cluster-name', on: ['Secret'], meaning: 'Name of the managed cluster, without a line end.' },
  AgentName: { value: 'agent-name', on: ['Secret'], meaning: 'Name of the agent, without a line end.' },
  TlsKey: { value: 'tls.key', on: ['Secret'], meaning: 'Private key as PEM.' },
  TlsCertificate: { value: 'tls.crt', on: ['Secret'], meaning: 'Certificate chain as PEM.' },
  Token: { value: 'token', on: ['Secret'], meaning: 'A bearer token.' },
  DriverConfig: {
    value: 'config.yaml',
    on: ['Secret', 'ConfigMap'],
    meaning: 'Configuration of a CloudEvents client or of the gRPC server.',
  },
  CaBundle: { value: 'ca-bundle.crt', on: ['ConfigMap'], meaning: 'CA certificates as PEM.' },
  RootCa: { value: 'ca.crt', on: ['ConfigMap'], meaning: 'CA of the API server.' },
  DockerConfigJson: { value: '.dockerconfigjson', on: ['Secret'], meaning: 'Image pull credentials.' },
  ChartValues: { value: 'values.yaml', on: ['Secret'], meaning: 'Chart values for an import.' },
  ClusterApiKubeconfig: { value: 'value', on: ['Secret'], meaning: 'Kubeconfig in secrets of Cluster API.' },
  TlsMinVersion: { value: 'minTLSVersion', on: ['ConfigMap'], meaning: 'Lowest TLS version that components serve.' },
  TlsCipherSuites: { value: 'cipherSuites', on: ['ConfigMap'], meaning: 'Cipher suites that components serve.' },
  TokenExpiration: { value: 'expiration', on: ['Secret'], meaning: 'When the token ends, as RFC 3339.' },
  ServiceAccountNamespace: {
    value: 'serviceaccount_namespace',
    on: ['Secret'],
    meaning: 'Namespace of the service account behind a kubeconfig.',
  },
  ServiceAccountName: { value: 'serviceaccount_name', on: ['Secret'], meaning: 'Its name.' },
  ServiceAccountUid: { value: 'serviceaccount_uid', on: ['Secret'], meaning: 'Its UID.' },
  BootstrapTokenId: { value: 'token-id', on: ['Secret'], meaning: 'Public half of a bootstrap token.' },
  BootstrapTokenSecret: { value: 'token-secret', on: ['Secret'], meaning: 'Secret half of a bootstrap token.' },
  BootstrapTokenUsage: {
    value: 'usage-bootstrap-authentication',
    on: ['Secret'],
    meaning: 'With value "true": the bootstrap token logs in.',
  },
  BootstrapTokenGroups: {
    value: 'auth-extra-groups',
    on: ['Secret'],
    meaning: 'Groups of the holder of a bootstrap token.',
  },
} as const satisfies NameTable;

/** Keys in the data of secrets and config maps. */
export const DataKey = /* @__PURE__ */ constantsOf(dataKeyTable);

export const kubeconfigNameTable = {
  Context: { value: 'default-context', on: ['Secret'], meaning: 'The context of kubeconfigs that the agent writes.' },
  User: { value: 'default-auth', on: ['Secret'], meaning: 'The user of kubeconfigs that the agent writes.' },
  Namespace: { value: 'configuration', on: ['Secret'], meaning: 'The namespace of kubeconfigs that the agent writes.' },
  BootstrapCluster: { value: 'hub', on: ['Secret'], meaning: 'The cluster of bootstrap kubeconfigs.' },
  BootstrapUser: { value: 'bootstrap', on: ['Secret'], meaning: 'User and context of bootstrap kubeconfigs.' },
} as const satisfies NameTable;

/** Names of entries in kubeconfigs: a bootstrap kubeconfig whose cluster entry is renamed makes the agent register anew. */
export const KubeconfigName = /* @__PURE__ */ constantsOf(kubeconfigNameTable);
