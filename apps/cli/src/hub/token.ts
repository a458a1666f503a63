import { NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import {
  type Clock,
  type ClusterAccess,
  createKubeClient,
  createToken,
  isAbsence,
  type KubeClient,
  KubeError,
  type ServiceAccountToken,
  staticAccess,
} from '@flotilla/kube';
import { applyObjects } from '../apply.ts';
import { bootstrapObjects } from './bootstrap-objects.ts';
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

/** A token that lets clusters ask to join for an hour. What it needs on the hub is made again if somebody removed it. */
export async function invite(client: KubeClient, access: ClusterAccess, clock: Clock): Promise<Invitation> {
  const { token, expirationTimestamp } = await bootstrapToken(client, clock);
  return { token, expires: expirationTimestamp, server: access.server, trust: await trustOf(access) };
}

/** A short hash where it is enough: strangers must be able to read the CA that it stands for. */
async function trustOf({ server, ca, origin, proxyUrl }: ClusterAccess): Promise<InvitationTrust> {
  if (ca === undefined) return { kind: 'public' };
  const access = staticAccess({ server, ca, origin, ...(proxyUrl && { proxyUrl }) });
  const stranger = createKubeClient({ access });
  try {
    const info = await readClusterInfo(stranger);
    const hashes = pinsOf(ca);
    if (pinnedCertificates(info.ca ?? '', hashes) !== undefined) return { kind: 'hashes', hashes };
  } catch (error) {
    if (!KubeError.is(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw error;
  } finally {
    await stranger.close();
  }
  return { kind: 'data', data: Buffer.from(ca).toString('base64') };
}

const trustFlags = (trust: InvitationTrust): string[] => {
  if (trust.kind === 'hashes') return trust.hashes.map((hash) => `--hub-ca-hash ${hash}`);
  return trust.kind === 'data' ? [`--hub-ca-data ${trust.data}`] : [];
};

async function bootstrapToken(client: KubeClient, clock: Clock): Promise<ServiceAccountToken> {
  try {
    return await createToken(client, account, { expirationSeconds: lifeSeconds });
  } catch (error) {
    if (!isAbsence(error)) throw error;
    await applyObjects(client, bootstrapObjects(), clock);
    return createToken(client, account, { expirationSeconds: lifeSeconds });
  }
}

/** The command to run on a cluster. Scripts take the fourth word for the token and the sixth for the server, as with OCM. */
export const joinCommand = (program: string, { token, server, trust }: Invitation): string =>
  [
    `${program} join --hub-token ${token} --hub-apiserver ${server}`,
    ...trustFlags(trust),
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
