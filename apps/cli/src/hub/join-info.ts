import {
  type ClusterManager,
  clusterManagers,
  NamespaceName,
  ObjectName,
  ServiceAccountName,
} from '@flotilla/api-types';
import { applyObjects, bootstrapObjects, hubNamespaces } from '@flotilla/install';
import { type Clock, isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import { createToken } from '@flotilla/kube/kinds';
import { isLoopback } from '@flotilla/kube/transport';
import { cliOwner } from '../cluster/owner.ts';
import type { CliContext, Connection } from '../context.ts';
import { installedDrivers, joinFlagsOf } from '../drivers/registration-drivers.ts';
import { pinnedCertificates, pinsOf } from '../hub-access/ca-pin.ts';
import { bootstrapTokenOf } from './bootstrap-token.ts';
import { readClusterInfo } from './cluster-info.ts';
import { type GrpcJoinInfo, readGrpcServer } from './grpc-server.ts';

const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
const lifeSeconds = 3600;

/** What a cluster needs to join. Secret. */
export interface JoinInfo {
  readonly token: string;
  /** RFC 3339. */
  readonly expires: string;
  readonly server: string;
  readonly trust: JoinTrust;
  /** For clusters that cannot reach the API server, if the hub has a gRPC server. */
  readonly grpc?: GrpcJoinInfo;
  /** Flags of `join` for the auth type, if the hub does not offer the default one. */
  readonly authFlags: readonly string[];
}

/** How a joining cluster verifies the hub. */
export type JoinTrust =
  /** It reads the CA from `cluster-info`, and compares its hash. */
  | { readonly kind: 'hashes'; readonly hashes: readonly string[] }
  /** Anonymous callers cannot read the CA of the hub, so it is part of the command: base64 of PEM. */
  | { readonly kind: 'data'; readonly data: string }
  /** The hub has a certificate of a public CA. */
  | { readonly kind: 'public' };

/** A token with which clusters can request to join. What it needs on the hub is created again if it was removed. */
export async function createJoinInfo(
  { clock, connector }: Pick<CliContext, 'clock' | 'connector'>,
  hub: Pick<Connection, 'client' | 'access'>,
  { useBootstrapToken = false }: { useBootstrapToken?: boolean | undefined } = {},
): Promise<JoinInfo> {
  const { client } = hub;
  const recorded = await recordedHub(client);
  const { token, expires } = await (useBootstrapToken
    ? bootstrapTokenOf(client, clock)
    : accountToken(client, clock, recorded));
  return { token, expires, ...(await describeHub(connector, hub, recorded)) };
}

/** What a cluster needs to know about the hub, beside a token. */
export async function describeHub(
  connector: CliContext['connector'],
  hub: Pick<Connection, 'client' | 'access'>,
  recorded: ClusterManager | undefined,
): Promise<Omit<JoinInfo, 'token' | 'expires'>> {
  const grpc = await readGrpcServer(hub.client);
  return {
    server: hub.access.server,
    trust: await trustOf(connector, hub),
    authFlags: joinFlagsOf(recorded),
    ...(grpc && { grpc }),
  };
}

/** What `init` recorded; unknown to a caller who may create tokens and not read it. */
export async function recordedHub(client: KubeClient): Promise<ClusterManager | undefined> {
  try {
    return await client.resource(clusterManagers).find(ObjectName.ClusterManager);
  } catch (error) {
    if (!KubeError.is(error, 'Forbidden', 'UnknownKind')) throw error;
    return undefined;
  }
}

/** A short hash where it is enough: anonymous callers must be able to read the CA that it stands for. */
async function trustOf(
  connector: CliContext['connector'],
  { access: { server, ca, origin, proxyUrl } }: Pick<Connection, 'access'>,
): Promise<JoinTrust> {
  if (ca === undefined) return { kind: 'public' };
  await using anonymous = await connector.toServer({ server, ca, origin, ...(proxyUrl && { proxyUrl }) });
  try {
    const info = await readClusterInfo(anonymous.client);
    const hashes = pinsOf(ca);
    if (pinnedCertificates(info.ca ?? '', hashes) !== undefined) return { kind: 'hashes', hashes };
  } catch (error) {
    if (!KubeError.is(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw error;
  }
  return { kind: 'data', data: Buffer.from(ca).toString('base64') };
}

const trustFlags = (trust: JoinTrust): string[] => {
  if (trust.kind === 'hashes') return trust.hashes.map((hash) => `--hub-ca-hash ${hash}`);
  return trust.kind === 'data' ? [`--hub-ca-data ${trust.data}`] : [];
};

async function accountToken(
  client: KubeClient,
  clock: Clock,
  recorded: ClusterManager | undefined,
): Promise<{ token: string; expires: string }> {
  const create = async () => {
    const { token, expirationTimestamp } = await createToken(client, account, { expirationSeconds: lifeSeconds });
    return { token, expires: expirationTimestamp };
  };
  try {
    return await create();
  } catch (error) {
    if (!isAbsence(error)) throw error;
    const drivers = installedDrivers(recorded);
    await applyObjects(client, [...hubNamespaces(), ...bootstrapObjects(drivers)], { owner: cliOwner, clock });
    return create();
  }
}

/** The command to run on a cluster. Scripts take the fourth word for the token and the sixth for the server, as with OCM. */
export const joinCommand = (
  program: string,
  { token, server, trust, authFlags }: JoinInfo,
  { wait = false, clusterName = '<cluster_name>' }: { readonly wait?: boolean; readonly clusterName?: string } = {},
): string =>
  [
    `${program} join --hub-token ${token} --hub-apiserver ${server}`,
    ...trustFlags(trust),
    ...authFlags,
    ...(wait ? ['--wait'] : []),
    `--cluster-name ${clusterName}`,
  ].join(' ');

/** The same as karmadactl has it. Undefined for a hub whose CA a cluster cannot find out before it has the token. */
export const registerCommand = (
  program: string,
  { token, server, trust }: JoinInfo,
  clusterName?: string,
): string | undefined =>
  trust.kind === 'hashes'
    ? [
        `${program} register ${addressOf(server)} --token ${token}`,
        `--discovery-token-ca-cert-hash ${trust.hashes.join(',')}`,
        ...(clusterName === undefined ? [] : [`--cluster-name ${clusterName}`]),
      ].join(' ')
    : undefined;

/** `host:port`, and what follows it. */
const addressOf = (server: string): string => {
  const { hostname, port, pathname } = new URL(server);
  return `${hostname}:${port || '443'}${pathname.replace(/\/$/, '')}`;
};

/** What scripts read; the first two keys are OCM's. */
export const joinInfoValue = ({ token, server, trust, grpc, expires }: JoinInfo) => ({
  'hub-token': token,
  'hub-apiserver': server,
  ...(trust.kind === 'hashes' && { 'hub-ca-hashes': trust.hashes }),
  ...(trust.kind === 'data' && { 'hub-ca-data': trust.data }),
  ...(grpc && { 'grpc-server': grpc.server }),
  ...(grpc?.ca && { 'grpc-ca-hashes': grpc.hashes, 'grpc-ca-data': Buffer.from(grpc.ca).toString('base64') }),
  expires,
});

/** Why the address may be of no use to other machines, if so. */
export function addressWarning(server: string): string | undefined {
  if (!isOnlyLocal(server)) return undefined;
  return `Clusters on other machines cannot reach ${server}: put another address of this hub into the command.`;
}

/** Whether only this machine can reach an address. */
export const isOnlyLocal = (url: string): boolean =>
  isLoopback((URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, ''));
