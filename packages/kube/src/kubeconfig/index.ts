/** Kubeconfig files: made from the access to a cluster, and written so that only their owner reads them. */
export { type FileAccessLoader, fileAccess } from '../credentials/file-access.ts';
export {
  formatKubeconfig,
  type KubeconfigCluster,
  type KubeconfigDocument,
  type KubeconfigNames,
  type KubeconfigUser,
  kubeconfigFor,
  writeKubeconfig,
} from '../credentials/kubeconfig-document.ts';
