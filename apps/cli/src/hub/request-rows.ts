import { Label } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { readRequestedSubject } from '@flotilla/registration-core/certificates';
import { formatAge, formatDuration, formatTable } from '../output/table.ts';
import type { Candidate, ReadRequest } from './accept.policy.ts';

/** Requests with what they ask for. */
export const readRequests = (requests: readonly CertificateSigningRequest[]): Promise<ReadRequest[]> =>
  Promise.all(
    requests.map(async (request) => ({ request, subject: await readRequestedSubject(request.spec.request) })),
  );

/** kubectl's words for what became of a request. */
function stateOf({ status }: CertificateSigningRequest): string {
  const decision = status?.conditions?.find(({ type }) => type === 'Approved' || type === 'Denied')?.type;
  if (status?.conditions?.some(({ type }) => type === 'Failed')) return [decision, 'Failed'].filter(Boolean).join(',');
  if (decision === undefined) return 'Pending';
  return status?.certificate ? `${decision},Issued` : decision;
}

const createdOf = ({ request }: Pick<ReadRequest, 'request'>): string => request.metadata?.creationTimestamp ?? '';

/** The table of `get csr`, oldest first. */
export function requestTable(requests: readonly ReadRequest[], wide: boolean, now: number): string {
  return formatTable(
    [
      ...['NAME', 'CLUSTER', 'AGE', 'SIGNER', 'SENT BY', 'REQUESTER', 'CONDITION', 'FINGERPRINT'],
      ...(wide ? ['REQUESTEDDURATION'] : []),
    ],
    requests
      .toSorted((a, b) => createdOf(a).localeCompare(createdOf(b)))
      .map(({ request, subject }) => [
        request.metadata?.name ?? '',
        request.metadata?.labels?.[Label.ClusterName] ?? '',
        formatAge(request.metadata?.creationTimestamp, now),
        request.spec.signerName,
        request.spec.username ?? '',
        subject?.commonNames.join(',') ?? '<unreadable>',
        stateOf(request),
        subject?.keyFingerprint ?? '',
        ...(wide ? [durationOf(request)] : []),
      ]),
  );
}

/** How long the certificate should live, as kubectl prints it. */
const durationOf = ({ spec }: CertificateSigningRequest): string =>
  spec.expirationSeconds === undefined ? '<none>' : formatDuration(spec.expirationSeconds);

/** The table of requests of which an administrator has to choose one, oldest first. */
export const candidateTable = (candidates: readonly Candidate[], now: number): string =>
  formatTable(
    ['NAME', 'AGE', 'SENT BY', 'REQUESTER', 'FINGERPRINT'],
    candidates
      .toSorted((a, b) => createdOf(a).localeCompare(createdOf(b)))
      .map(({ request, requester, fingerprint }) => [
        request.metadata?.name ?? '',
        formatAge(request.metadata?.creationTimestamp, now),
        request.spec.username ?? '',
        requester,
        fingerprint,
      ]),
  ).trimEnd();
