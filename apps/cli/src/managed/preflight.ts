import { ApiGroup, type ManagedCluster, managedClusters, NamespaceName } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces, selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import { CliError } from '../errors/cli-error.ts';
import { type ClusterInfo, readClusterInfo } from '../hub/cluster-info.ts';
import { noIdentity, SkippedCheck } from './preflight-report.ts';

/** Refuses an address that cannot be a hub's. */
export function checkServer(server: string | undefined): string {
  if (server === undefined) {
    throw new CliError(
      'usage',
      '--hub-apiserver is missing',
      'Use the command that `flotilla get token` prints on the hub.',
    );
  }
  if (isHttps(server)) return server.replace(/\/$/, '');
  throw new CliError(
    'usage',
    `--hub-apiserver ${server} is not an address of a hub`,
    'It should start with https://, as in the command that `flotilla get token` prints on the hub.',
  );
}

/** Refuses a token whose end can be read from it, before it is sent anywhere. The hub decides about others. */
export function checkToken(token: string, now: number): string {
  if (token === '') throw new CliError('usage', 'token is missing', 'Give --hub-token or --hub-token-file.');
  const expiry = expiryOf(token);
  if (expiry === undefined || expiry * 1000 > now) return token;
  throw new CliError(
    'precondition',
    `the token expired at ${new Date(expiry * 1000).toISOString()}`,
    'Get a new command with `flotilla get token` on the hub. If it is new, the clock of this machine is wrong.',
  );
}

/** Seconds since 1970 of a token of a service account; others say nothing about their end. */
function expiryOf(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp }: { exp?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp : undefined;
  } catch {
    return undefined;
  }
}

const neededRights = [
  { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verb: 'create' },
  { group: '', resource: 'namespaces', verb: 'create' },
  { group: '', resource: 'secrets', verb: 'create', namespace: NamespaceName.Agent },
  { group: ApiGroup.Operator, resource: 'klusterlets', verb: 'create' },
];

/** Whether this user may do here what joining needs. */
export async function checkRights(
  managed: KubeClient,
  { createNamespace }: { readonly createNamespace: boolean },
): Promise<void> {
  const needed = neededRights.filter(({ resource }) => createNamespace || resource !== 'namespaces');
  const reviews = await Promise.all(
    needed.map((resourceAttributes) =>
      managed.resource(selfSubjectAccessReviews).create({ spec: { resourceAttributes } }),
    ),
  );
  const missing = needed.filter((_, index) => !reviews[index]?.status?.allowed);
  if (missing.length === 0) return;
  const rights = missing.map(({ verb, resource, group }) => `${verb} ${resource}${group ? `.${group}` : ''}`);
  throw new CliError(
    'precondition',
    `you cannot ${rights.join(', ')} on this cluster`,
    'Use a kubeconfig or context of an administrator of this cluster (--kubeconfig, --context).',
  );
}

/** Refuses a cluster that is joined under another name: its agent would change its identity underneath the hub. */
export async function checkNotJoined(managed: KubeClient, clusterName: string): Promise<void> {
  const [other] = (await listKlusterlets(managed)).filter(({ spec }) => spec?.clusterName !== clusterName);
  if (!other) return;
  throw new CliError(
    'precondition',
    `this cluster is joined already, as ${other.spec?.clusterName} (Klusterlet ${other.metadata?.name})`,
    `Remove it first: \`flotilla unjoin --cluster-name ${other.spec?.clusterName}\`. Or choose another cluster with --context.`,
  );
}

/** Whether the hub can be reached, is the right one, is a hub, and takes the token: each with its own error. */
export async function checkHub(hub: KubeClient, clusterName: string): Promise<void> {
  await hub
    .resource(managedClusters)
    // A join token may be for this cluster alone.
    .list({ fieldSelector: `metadata.name=${clusterName}` })
    .catch((error: unknown) => {
      throw explainHubFailure(error);
    });
}

/** Refuses a name that another cluster has on the hub. Gives the ManagedCluster if the hub has this one already. */
export async function checkNameIsFree(
  hub: KubeClient,
  clusterName: string,
  managed: KubeClient,
): Promise<ManagedCluster | undefined> {
  const found = await hub.resource(managedClusters).find(clusterName);
  const holder = found?.metadata?.annotations?.[clusterIdentityAnnotation];
  if (holder === undefined) return found;
  const uid = (await managed.resource(namespaces).find(NamespaceName.KubeSystem))?.metadata?.uid;
  if (uid === undefined) throw new SkippedCheck(noIdentity, found);
  if (holder === uid) return found;
  throw new CliError(
    'precondition',
    `the hub has another cluster named ${clusterName} (with the identity ${holder}; this one is ${uid})`,
    'Choose another --cluster-name, or remove that cluster from the hub first.',
  );
}

/** What to do about an answer of the hub, or about none. */
export function explainHubFailure(error: unknown): unknown {
  if (KubeError.is(error, 'Unauthorized')) {
    return new CliError(
      'precondition',
      'the hub does not accept the token',
      'It lives for an hour: get a new command with `flotilla get token` on the hub.',
      error,
    );
  }
  if (KubeError.is(error, 'Forbidden')) {
    return new CliError(
      'precondition',
      'the token is not one for joining clusters, or for another cluster: it cannot read this ManagedCluster',
      'Check --cluster-name: a join token can be for one cluster only. Or get a command with `flotilla get token` on the hub, which gives the token its rights again if they were removed.',
      error,
    );
  }
  if (KubeError.is(error, 'Tls')) {
    return new CliError(
      'precondition',
      'the certificate of the hub cannot be verified, so the token was not sent',
      'Use the whole command that `flotilla get token` prints on the hub: --hub-ca-hash or --hub-ca-data says which CA to trust. Or give the CA by --ca-file.',
      error,
    );
  }
  if (KubeError.is(error, 'NotFound', 'UnknownKind')) {
    return new CliError(
      'precondition',
      'that API server is not a hub: it does not serve ManagedClusters',
      'Check --hub-apiserver, or make it a hub with `flotilla init`.',
      error,
    );
  }
  return error;
}

const isHttps = (server: string | undefined): server is string =>
  server !== undefined && URL.parse(server)?.protocol === 'https:';

/** The address that the hub itself gives, for agents that cannot use the one this machine uses. */
export async function internalServer(hub: KubeClient): Promise<string> {
  const { server } = await readClusterInfo(hub).catch((error: unknown): ClusterInfo => {
    if (KubeError.is(error, 'NotFound')) return {};
    throw error;
  });
  if (isHttps(server)) return server;
  throw new CliError(
    'precondition',
    server === undefined
      ? 'the hub gives no address in kube-public/cluster-info'
      : `the address ${server} in kube-public/cluster-info of the hub does not start with https://, and the token is not sent there`,
    'Leave out --force-internal-endpoint-lookup, or run `flotilla init` on the hub.',
  );
}

/** Where this cluster says that it is, for the hub; undefined if it says nothing that could be used. */
export async function externalServer(managed: KubeClient): Promise<{ server: string; ca?: string } | undefined> {
  const { server, ca } = await readClusterInfo(managed).catch((error: unknown): ClusterInfo => {
    if (KubeError.is(error, 'NotFound', 'Forbidden')) return {};
    throw error;
  });
  if (!isHttps(server)) return undefined;
  return { server, ...(ca !== undefined && { ca }) };
}
