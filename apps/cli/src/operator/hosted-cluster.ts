import type { CliContext, Connection } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { externalServer } from '../managed/preflight.ts';

/** The flags of `join` about a cluster whose agent runs elsewhere. */
interface HostedOptions {
  readonly managedClusterKubeconfig?: string;
  readonly forceInternalEndpointLookupManaged?: boolean;
}

/** The cluster that joins, at the address by which its agent is to reach it. */
export async function hostedCluster(
  context: CliContext,
  { managedClusterKubeconfig = '', forceInternalEndpointLookupManaged = false }: HostedOptions,
): Promise<Connection> {
  const connection = await context.connector.toCluster({ kubeconfig: managedClusterKubeconfig });
  if (!forceInternalEndpointLookupManaged) return connection;
  const published = await externalServer(connection.client);
  if (published) return { ...connection, access: { ...connection.access, server: published.server } };
  await connection[Symbol.asyncDispose]();
  throw new CliError(
    'precondition',
    'the managed cluster gives no address in kube-public/cluster-info',
    'Leave out --force-internal-endpoint-lookup-managed, and give a kubeconfig with an address that the agent can use.',
  );
}
