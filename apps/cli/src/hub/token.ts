import { NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { type Clock, createToken, isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import { applyObjects } from '../apply.ts';
import type { CliContext, Connection } from '../context.ts';
import { bootstrapObjects, hubNamespaces } from './bootstrap-objects.ts';
import { bootstrapTokenOf } from './bootstrap-token.ts';
import { pinnedCertificates, pinsOf } from './ca-pin.ts';
import { readClusterInfo } from './cluster-info.ts';

const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
const lifeSeconds = 3600;

/** What a cluster needs to be told to join. Secret. */
export interface Invitation {
  readonly token: string;
  /** RFC 3339. */
  readonly expires: string;
  readonly server: string;
  readonly trust: InvitationTrust;
}

/** By what a joining cluster knows the hub. */
export type InvitationTrust =
  /** It fetches the CA from `cluster-info`, and compares. */
  | { readonly kind: 'hashes'; readonly hashes: readonly string[] }
  /** The hub tells nothing to strangers, so the CA goes along: base64 of PEM. */
  | { readonly kind: 'data'; readonly data: string }
  /** The hub has a certificate that everybody trusts. */
  | { readonly kind: 'public' };

/** A token that lets clusters ask to join. What it needs on the hub is made again if somebody removed it. */
export async function invite(
  { clock, connector }: Pick<CliContext, 'clock' | 'connector'>,
  hub: Pick<Connection, 'client' | 'access'>,
  { useBootstrapToken = false }: { useBootstrapToken?: boolean | undefined } = {},
): Promise<Invitation> {
  const { client, access } = hub;
  const { token, expires } = await (useBootstrapToken ? bootstrapTokenOf(client, clock) : accountToken(client, clock));
  return { token, expires, server: access.server, trust: await trustOf(connector, hub) };
}

/** A short hash where it is enough: strangers must be able to read the CA that it stands for. */
async function trustOf(
  connector: CliContext['connector'],
  { access: { server, ca, origin, proxyUrl } }: Pick<Connection, 'access'>,
): Promise<InvitationTrust> {
  if (ca === undefined) return { kind: 'public' };
  await using stranger = await connector.toServer({ server, ca, origin, ...(proxyUrl && { proxyUrl }) });
  try {
    const info = await readClusterInfo(stranger.client);
    const hashes = pinsOf(ca);
    if (pinnedCertificates(info.ca ?? '', hashes) !== undefined) return { kind: 'hashes', hashes };
  } catch (error) {
    if (!KubeError.is(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw error;
  }
  return { kind: 'data', data: Buffer.from(ca).toString('base64') };
}

const trustFlags = (trust: InvitationTrust): string[] => {
  if (trust.kind === 'hashes') return trust.hashes.map((hash) => `--hub-ca-hash ${hash}`);
  return trust.kind === 'data' ? [`--hub-ca-data ${trust.data}`] : [];
};

async function accountToken(client: KubeClient, clock: Clock): Promise<{ token: string; expires: string }> {
  const create = async () => {
    const { token, expirationTimestamp } = await createToken(client, account, { expirationSeconds: lifeSeconds });
    return { token, expires: expirationTimestamp };
  };
  try {
    return await create();
  } catch (error) {
    if (!isAbsence(error)) throw error;
    await applyObjects(client, [...hubNamespaces(), ...bootstrapObjects()], clock);
    return create();
  }
}

/** The command to run on a cluster. Scripts take the fourth word for the token and the sixth for the server, as with OCM. */
export const joinCommand = (program: string, { token, server, trust }: Invitation, wait = false): string =>
  [
    `${program} join --hub-token ${token} --hub-apiserver ${server}`,
    ...trustFlags(trust),
    ...(wait ? ['--wait'] : []),
    '--cluster-name <cluster_name>',
  ].join(' ');

/** What scripts read; the first two keys are OCM's. */
export const invitationValue = ({ token, server, trust, expires }: Invitation) => ({
  'hub-token': token,
  'hub-apiserver': server,
  ...(trust.kind === 'hashes' && { 'hub-ca-hashes': trust.hashes }),
  ...(trust.kind === 'data' && { 'hub-ca-data': trust.data }),
  expires,
});

/** Why the address may be of no use to other machines, if so. */
export function addressWarning(server: string): string | undefined {
  const { hostname } = new URL(server);
  const loopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (!loopback) return undefined;
  return `Clusters on other machines cannot reach ${server}: give them another address of this hub by --hub-apiserver.`;
}
