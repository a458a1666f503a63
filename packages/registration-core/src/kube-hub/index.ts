/** For drivers whose hub is reached at its API server: bootstrap kubeconfigs, the stored kubeconfig, and the connection. */
export { fingerprintOf, type KubeHubContext } from './bootstraps.ts';
export { checkOwnCluster } from './check-own-cluster.ts';
export { type PublishedCluster, parseClusterInfo, readClusterInfo } from './cluster-info.ts';
export {
  endpointOfAccess,
  formatHubKubeconfig,
  hubKubeconfig,
  readEndpoint,
  withoutKubeconfig,
} from './hub-kubeconfig.ts';
export { type KubeHub, type KubeHubOptions, kubeHub } from './kube-hub.ts';
export { openBootstrap } from './open-bootstrap.ts';
export { type KubeCredentials, openConnection } from './open-connection.ts';
export { kubeBootstrapOptions } from './options.ts';
