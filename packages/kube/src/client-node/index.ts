/** The bridge to `@kubernetes/client-node`, a peer dependency: its KubeConfig as access, and its classes over our credentials. */
export { apiConfiguration } from './api-configuration.ts';
export { type KubeConfigAccessOptions, kubeConfigAccess } from './kube-config-access.ts';
export { reloadingKubeConfig } from './reloading-kube-config.ts';
