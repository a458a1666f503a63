import { secrets } from '@flotilla/kube/kinds';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { connectBySecret } from './secret-connection.ts';

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
  if (!found?.data?.value) {
    throw new CliError(
      'precondition',
      `there is no kubeconfig in Secret ${key}, key value`,
      `Is the control plane of ${capiClusterName} up? See: kubectl get cluster -n ${namespace} ${name}.`,
    );
  }
  return connectBySecret(context, found, 'value');
}
