import { managedClusters, NamespaceName } from '@flotilla/api-types';
import {
  type ClusterAccess,
  createKubeClient,
  type KubeClient,
  KubeError,
  namespaces,
  staticAccess,
} from '@flotilla/kube';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { type ClusterInfo, readClusterInfo } from '../hub/cluster-info.ts';

/** A hub that is reached with a bootstrap token. */
export async function withHub<T>(
  { clock, env }: CliContext,
  access: ClusterAccess,
  use: (hub: KubeClient) => Promise<T>,
): Promise<T> {
  const client = createKubeClient({ access: staticAccess(access), clock, env });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Refuses an address that cannot be a hub's. */
export function checkServer(server: string): string {
  const url = URL.parse(server);
  if (url?.protocol === 'https:') return server.replace(/\/$/, '');
  throw new CliError(
    'usage',
    `--hub-apiserver ${server} is no address of a hub`,
    'It should start with https://, as in the command that `flotilla get token` prints on the hub.',
  );
}

/** Whether the hub can be reached, is the right one, is a hub, and takes the token: each with its own words. */
export async function checkHub(hub: KubeClient, clusterName: string, managed: KubeClient): Promise<void> {
  const found = await hub
    .resource(managedClusters)
    .find(clusterName)
    .catch((error: unknown) => {
      throw explainHubFailure(error);
    });
  const holder = found?.metadata?.annotations?.[clusterIdentityAnnotation];
  const uid = (await managed.resource(namespaces).find(NamespaceName.KubeSystem))?.metadata?.uid;
  if (holder === undefined || uid === undefined || holder === uid) return;
  throw new CliError(
    'precondition',
    `the hub has another cluster named ${clusterName} (with the identity ${holder}; this one is ${uid})`,
    'Choose another --cluster-name, or remove that cluster from the hub first.',
  );
}

function explainHubFailure(error: unknown): unknown {
  if (KubeError.is(error, 'Unauthorized')) {
    return new CliError(
      'precondition',
      'the hub does not accept the token',
      'It lives for an hour: get a new command with `flotilla get token` on the hub.',
      error,
    );
  }
  if (KubeError.is(error, 'Tls')) {
    return new CliError(
      'precondition',
      'the certificate of the hub cannot be verified, so the token was not sent',
      'Use the whole command that `flotilla get token` prints on the hub: --hub-ca-hash or --hub-ca-data tells which CA to trust. Or give the CA by --ca-file.',
      error,
    );
  }
  if (KubeError.is(error, 'NotFound', 'UnknownKind')) {
    return new CliError(
      'precondition',
      'that API server is no hub: it does not serve ManagedClusters',
      'Check --hub-apiserver, or make it a hub with `flotilla init`.',
      error,
    );
  }
  return error;
}

/** The address that the hub itself gives, for agents that cannot use the one this machine uses. */
export async function internalServer(hub: KubeClient): Promise<string> {
  const { server } = await readClusterInfo(hub).catch((error: unknown): ClusterInfo => {
    if (KubeError.is(error, 'NotFound')) return {};
    throw error;
  });
  if (server !== undefined) return server;
  throw new CliError(
    'precondition',
    'the hub gives no address in kube-public/cluster-info',
    'Leave out --force-internal-endpoint-lookup, or run `flotilla init` on the hub.',
  );
}
