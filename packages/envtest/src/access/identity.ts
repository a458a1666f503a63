import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterAccess } from '@flotilla/kube';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { writePrivateFile } from '../pki/private-file.ts';

/** A user of the cluster. */
export interface Identity {
  readonly access: ClusterAccess;
  /** The kubeconfig as YAML. */
  readonly kubeconfig: string;
  /** The same as a file, mode 0600. Removed with the cluster. */
  readonly kubeconfigPath: string;
}

/** Writes the kubeconfig of a user into the cluster's directory. */
export async function createIdentity(directory: string, user: string, access: ClusterAccess): Promise<Identity> {
  const kubeconfig = formatKubeconfig(kubeconfigFor(access, { cluster: 'envtest', user, context: 'envtest' }));
  const folder = join(directory, 'kubeconfigs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A user name may contain colons and slashes, which a file name must not.
  const kubeconfigPath = join(folder, `${user.replaceAll(/[^\w.-]+/g, '_')}.kubeconfig`);
  await writePrivateFile(kubeconfigPath, kubeconfig);
  return { access, kubeconfig, kubeconfigPath };
}
