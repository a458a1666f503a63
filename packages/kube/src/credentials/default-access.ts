import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubeError } from '../errors/kube-error.ts';
import type { AccessSource } from './access.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { type FileAccessLoader, fileAccess } from './file-access.ts';
import { inClusterLoader, isInCluster } from './in-cluster-access.ts';
import { type KubeconfigAccessOptions, readKubeconfigs, resolveKubeconfig } from './kubeconfig-access.ts';

/** As `kubeconfigAccess`, but the file may be left out. */
export interface DefaultAccessOptions extends Omit<KubeconfigAccessOptions, 'files' | 'env'> {
  /** For KUBECONFIG and the variables of a pod; exec plugins inherit it. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** A file given by flag: then no other source is used. */
  kubeconfig?: string;
  /** Where `.kube/config` is. Default: the user's home directory. */
  home?: string;
  /** Where a pod's service account is mounted. */
  serviceAccountDirectory?: string;
}

/** Access as kubectl and client-go find it: the given kubeconfig, KUBECONFIG, ~/.kube/config, then the service account of the pod. */
export function defaultAccess(options: DefaultAccessOptions = {}): AccessSource {
  const plugin = new ExecPlugin(options);
  return fileAccess({ clock: options.clock, load: defaultLoader(options, plugin), plugin });
}

function defaultLoader(options: DefaultAccessOptions, plugin: ExecPlugin): FileAccessLoader {
  const { kubeconfig, context, env = process.env, home = homedir(), serviceAccountDirectory } = options;
  const inCluster = inClusterLoader({ env, ...(serviceAccountDirectory && { directory: serviceAccountDirectory }) });
  const listed = env.KUBECONFIG ? env.KUBECONFIG.split(delimiter) : [join(home, '.kube', 'config')];
  const files = kubeconfig || listed.filter((file) => file !== '');
  return async (read) => {
    const config = await readKubeconfigs(files, read);
    // A kubeconfig without entries counts as none, so that an empty file does not hide the service account.
    const isEmpty = config.clusters.size === 0 && config.contexts.size === 0 && !context && !kubeconfig;
    if (!isEmpty) return resolveKubeconfig(config, context, plugin, read);
    if (isInCluster(env)) return inCluster(read);
    throw new KubeError(
      'Config',
      `no access to a cluster: no kubeconfig at ${listed.join(', ')}, and this is not a pod`,
      {
        hint: 'Give a kubeconfig by flag, set KUBECONFIG, or run it in a cluster with a service account.',
      },
    );
  };
}
