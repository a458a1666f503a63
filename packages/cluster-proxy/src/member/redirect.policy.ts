import { KubeError } from '@flotilla/kube';
import type { MemberAnswer } from './member.ts';

/**
 * Throws if a cluster sends its user elsewhere. Clients of Kubernetes follow with their credentials, which are those of the hub: a
 * cluster could collect them. API servers refuse this of aggregated ones too, unless they are told not to.
 */
export function refuseRedirect({ status, headers, body }: MemberAnswer): void {
  if (status < 300 || status > 399 || !headers.some(([name]) => name === 'location')) return;
  body.destroy();
  throw new KubeError('Unavailable', 'the cluster redirects this request, which the hub does not pass on', {
    status: 502,
    hint: 'Ask for the address that it leads to: that of the proxy of a pod or service ends with a slash.',
  });
}
