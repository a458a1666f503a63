import { Label } from '@flotilla/api-types';
import { readRequestedSubject } from '@flotilla/driver-csr';
import type { CertificateSigningRequest } from '@flotilla/kube';
import { formatAge, formatTable } from '../output/table.ts';
import type { ReadRequest } from './accept.policy.ts';

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

/** The table of `get csr`, oldest first. */
export function requestTable(requests: readonly ReadRequest[], now: number): string {
  const age = ({ request }: ReadRequest) => request.metadata?.creationTimestamp ?? '';
  return formatTable(
    ['NAME', 'CLUSTER', 'AGE', 'SIGNER', 'SENT BY', 'REQUESTER', 'CONDITION'],
    requests
      .toSorted((a, b) => age(a).localeCompare(age(b)))
      .map(({ request, subject }) => [
        request.metadata?.name ?? '',
        request.metadata?.labels?.[Label.ClusterName] ?? '',
        formatAge(request.metadata?.creationTimestamp, now),
        request.spec.signerName,
        request.spec.username ?? '',
        subject?.commonNames.join(',') ?? '<unreadable>',
        stateOf(request),
      ]),
  );
}
