import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secrets } from '@flotilla/kube/kinds';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** The flags of `join` that take the cluster from Cluster API. */
export interface CapiOptions {
  readonly capiImport?: boolean;
  readonly capiClusterName?: string;
  readonly capiKubeconfig?: string;
}

/** The cluster that joins: the one that the user chose, or one of Cluster API by the kubeconfig that Cluster API keeps. */
export async function clusterToJoin(context: CliContext, options: CapiOptions & GlobalOptions): Promise<Connection> {
  if (!options.capiImport) {
    if (options.capiClusterName === undefined && options.capiKubeconfig === undefined) {
      return context.connector.toCluster(options);
    }
    throw new CliError('usage', '--capi-cluster-name and --capi-kubeconfig need --capi-import', 'Add --capi-import.');
  }
  const { capiClusterName, capiKubeconfig } = options;
  const [namespace, name, ...rest] = capiClusterName?.split('/') ?? [];
  if (!namespace || !name || rest.length > 0) {
    const hint = 'Give the Cluster of Cluster API: --capi-cluster-name NAMESPACE/NAME.';
    throw new CliError('usage', 'capi-cluster-name must be set', hint);
  }
  await using management = await context.connector.toCluster({
    ...options,
    ...(capiKubeconfig !== undefined && { kubeconfig: capiKubeconfig }),
  });
  const key = `${namespace}/${name}-kubeconfig`;
  const found = await management.client.resource(secrets).find(key);
  const kubeconfig = Buffer.from(found?.data?.value ?? '', 'base64').toString('utf8');
  if (kubeconfig === '') {
    throw new CliError(
      'precondition',
      `there is no kubeconfig in Secret ${key}, key value`,
      `Is the control plane of ${capiClusterName} up? See: kubectl get cluster -n ${namespace} ${name}.`,
    );
  }
  return connectBy(context, kubeconfig);
}

/** Connects by a kubeconfig that is no file: it becomes one that nobody else can read, until the connection ends. */
export async function connectBy(context: CliContext, kubeconfig: string): Promise<Connection> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-capi-'));
  const file = join(directory, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  try {
    const { client, access, ...connection } = await context.connector.toCluster({ kubeconfig: file });
    return {
      client,
      access,
      async [Symbol.asyncDispose]() {
        await connection[Symbol.asyncDispose]();
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
