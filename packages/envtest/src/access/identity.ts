import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterAccess } from '@flotilla/kube';
import { buildKubeconfig } from '../cluster/kubeconfig.ts';
import { writePrivateFile } from '../pki/private-file.ts';

/** Somebody who can talk to the cluster. */
export interface Identity {
  readonly access: ClusterAccess;
  /** The kubeconfig as YAML. */
  readonly kubeconfig: string;
  /** The same as a file, mode 0600. It goes away with the cluster. */
  readonly kubeconfigPath: string;
}

/** Writes the kubeconfig of somebody into the cluster's directory. */
export async function createIdentity(directory: string, user: string, access: ClusterAccess): Promise<Identity> {
  const kubeconfig = buildKubeconfig(access, user);
  const folder = join(directory, 'kubeconfigs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A user name may hold colons and slashes, a file name rather not.
  const kubeconfigPath = join(folder, `${user.replaceAll(/[^\w.-]+/g, '_')}.kubeconfig`);
  await writePrivateFile(kubeconfigPath, kubeconfig);
  return { access, kubeconfig, kubeconfigPath };
}
