import { dirname, resolve } from 'node:path';
import { KubeError } from '../errors/kube-error.ts';
import type { AccessSource, ClusterAccess } from './access.ts';
import { ExecPlugin, type ExecPluginOptions } from './exec-plugin.ts';
import { type FileAccessLoader, fileAccess } from './file-access.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

/** Which kubeconfig to use, and how to run its exec plugins. */
export interface KubeconfigAccessOptions extends ExecPluginOptions {
  /** One file, which must exist, or several to merge, of which some may be absent. */
  files: string | readonly string[];
  /** Instead of the current context. */
  context?: string;
}

/** Access from kubeconfig files. A change of them, or of any file they name, serves the next request. */
export function kubeconfigAccess(options: KubeconfigAccessOptions): AccessSource {
  const plugin = new ExecPlugin(options);
  return fileAccess({ clock: options.clock, load: kubeconfigLoader(options, plugin), plugin });
}

/** Reads, merges and resolves. */
function kubeconfigLoader({ files, context }: KubeconfigAccessOptions, plugin: ExecPlugin): FileAccessLoader {
  return async (read) => resolveKubeconfig(await readKubeconfigs(files, read), context, plugin, read);
}

/** Access by a context of a kubeconfig on disk. */
export const resolveKubeconfig = (
  config: Kubeconfig,
  context: string | undefined,
  plugin: ExecPlugin,
  read: (path: string) => Promise<string>,
): Promise<ClusterAccess> =>
  resolveContext(config, {
    context,
    exec: plugin.resolve,
    files: { read: (reference, kubeconfigFile) => read(resolve(dirname(kubeconfigFile), reference)) },
  });

/** The merged kubeconfig. */
export async function readKubeconfigs(
  files: string | readonly string[],
  read: (path: string) => Promise<string>,
): Promise<Kubeconfig> {
  if (typeof files === 'string') return parseKubeconfig(await read(resolve(files)), resolve(files));
  const found = await Promise.all(files.map((file) => readIfPresent(resolve(file), read)));
  return mergeKubeconfigs(found.filter((config) => config !== undefined));
}

async function readIfPresent(file: string, read: (path: string) => Promise<string>): Promise<Kubeconfig | undefined> {
  try {
    return parseKubeconfig(await read(file), file);
  } catch (error) {
    const cause = error instanceof KubeError ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw error;
  }
}
