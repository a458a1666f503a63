/** The flags of `init` and `join` that need the operator, by the key under which they are parsed. */
export const operatorFlags: Readonly<Record<string, string>> = {
  imageRegistry: '--image-registry',
  bundleVersion: '--bundle-version',
  bundleVersionOverrides: '--bundle-version-overrides',
  imagePullCredentialFile: '--image-pull-credential-file',
  resourceQosClass: '--resource-qos-class',
  resourceLimits: '--resource-limits',
  resourceRequests: '--resource-requests',
  enableSyncLabels: '--enable-sync-labels',
  clusterManagerValuesFile: '--cluster-manager-values-file',
  klusterletValuesFile: '--klusterlet-values-file',
  managedClusterKubeconfig: '--managed-cluster-kubeconfig',
};
