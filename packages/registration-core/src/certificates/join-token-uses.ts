import { GroupName, UserName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { type CertificateSigningRequest, configMaps } from '@flotilla/kube/kinds';
import { joinTokenKey, readJoinToken } from '../contract/index.ts';
import { requesterOf } from './requester.ts';

/** The other requests, and those that were approved and are not seen as such yet. */
export interface TokenUses {
  readonly requests: { list(): readonly CertificateSigningRequest[] };
  readonly approvedHere?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

const isApproved = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved') === true &&
  !status.conditions.some(({ type }) => type === 'Denied' || type === 'Failed');

/** Why a join token is not good for a certificate; undefined if it is, or if the sender has none that is restricted. */
export async function findTokenRefusal(
  client: Pick<KubeClient, 'resource'>,
  { metadata, spec }: CertificateSigningRequest,
  { requests, approvedHere = new Set(), signal }: TokenUses,
): Promise<string | undefined> {
  const { username = '', groups = [] } = spec;
  const id = UserName.BootstrapToken.parse(username)?.tokenId;
  if (id === undefined || !groups.includes(GroupName.RestrictedBootstrappers)) return undefined;
  const found = await client.resource(configMaps).find(joinTokenKey(id), { ...(signal && { signal }) });
  const record = found && readJoinToken(found);
  // Deleted, ended or used up since it asked.
  if (!record) return `the join token ${id} does not exist any more`;
  if (record.maxUses === undefined) return undefined;
  const approved = requests
    .list()
    .filter((other) => requesterOf(other) === username)
    .filter((other) => isApproved(other) || approvedHere.has(other.metadata?.uid ?? ''));
  const uses = new Set([...record.uses, ...approved.map((other) => other.metadata?.uid ?? '')]);
  uses.delete(metadata?.uid ?? '');
  return uses.size < record.maxUses ? undefined : `the join token ${id} is used up (max-uses ${record.maxUses})`;
}
