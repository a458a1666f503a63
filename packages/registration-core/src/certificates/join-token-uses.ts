import { GroupName, UserName } from '@flotilla/api-types';
import { type KubeClient, retryOnConflict } from '@flotilla/kube';
import { type CertificateSigningRequest, type ConfigMap, configMaps } from '@flotilla/kube/kinds';
import { type JoinTokenRecord, joinTokenKey, readJoinToken } from '../contract/index.ts';
import { requesterOf } from './requester.ts';

/** The other requests, among which may be some that an administrator approved by hand. */
export interface TokenUses {
  readonly requests: { list(): readonly CertificateSigningRequest[] };
  readonly signal?: AbortSignal;
}

type TokenClient = Pick<KubeClient, 'resource'>;

/** Why a join token is not good for a certificate; undefined if it is, or if the sender has none that is restricted. Writes nothing. */
export async function findTokenRefusal(
  client: TokenClient,
  request: CertificateSigningRequest,
  uses: TokenUses,
): Promise<string | undefined> {
  const id = restrictedTokenOf(request);
  if (id === undefined) return undefined;
  return refusalOf(id, (await readRecord(client, id, uses)).record, request, uses);
}

/**
 * Takes one of the uses of a join token for a request that is about to be approved. Whoever approves calls it first, whatever the auth
 * type is: the record of the token is the one place that counts, and of two that write it at once one has to read it again. Returns why
 * there is none; undefined if the request has it, also from before.
 */
export async function claimTokenUse(
  client: TokenClient,
  request: CertificateSigningRequest,
  uses: TokenUses,
): Promise<string | undefined> {
  const id = restrictedTokenOf(request);
  if (id === undefined) return undefined;
  return retryOnConflict(async () => {
    const { stored, record } = await readRecord(client, id, uses);
    const refusal = refusalOf(id, record, request, uses);
    if (refusal !== undefined || record?.maxUses === undefined) return refusal;
    const uid = request.metadata?.uid ?? '';
    if (record.uses.includes(uid) || record.approved.includes(uid)) return undefined;
    const waiting = record.approved.filter((other) => !record.uses.includes(other));
    const { uid: recordUid, resourceVersion } = stored?.metadata ?? {};
    const body = { metadata: { uid: recordUid, resourceVersion }, data: { approved: [...waiting, uid].join(',') } };
    await client.resource(configMaps).patch(joinTokenKey(id), { type: 'merge', body }, signalOf(uses));
    return undefined;
  });
}

/** The id of the token of the sender, if that is restricted. */
function restrictedTokenOf({ spec: { username = '', groups = [] } }: CertificateSigningRequest): string | undefined {
  if (!groups.includes(GroupName.RestrictedBootstrappers)) return undefined;
  return UserName.BootstrapToken.parse(username)?.tokenId;
}

async function readRecord(
  client: TokenClient,
  id: string,
  uses: TokenUses,
): Promise<{ stored?: ConfigMap; record?: JoinTokenRecord }> {
  const stored = await client.resource(configMaps).find(joinTokenKey(id), signalOf(uses));
  const record = stored && readJoinToken(stored);
  return record ? { stored, record } : {};
}

function refusalOf(
  id: string,
  record: JoinTokenRecord | undefined,
  { metadata, spec: { username } }: CertificateSigningRequest,
  { requests }: TokenUses,
): string | undefined {
  // Deleted, ended or used up since it asked.
  if (!record) return `the join token ${id} does not exist any more`;
  if (record.maxUses === undefined) return undefined;
  const approved = requests
    .list()
    .filter((other) => isApproved(other) && requesterOf(other) === username)
    .map((other) => other.metadata?.uid ?? '');
  const taken = new Set([...record.uses, ...record.approved, ...approved]);
  taken.delete(metadata?.uid ?? '');
  return taken.size < record.maxUses ? undefined : `the join token ${id} is used up (max-uses ${record.maxUses})`;
}

const isApproved = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved') === true &&
  !status.conditions.some(({ type }) => type === 'Denied' || type === 'Failed');

const signalOf = ({ signal }: TokenUses): { signal?: AbortSignal } => (signal ? { signal } : {});
