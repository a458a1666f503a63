import { X509Certificate } from 'node:crypto';
import { after, type Controller, defineController, done, on } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import type { ControllerContext } from '../context.ts';

const hourMs = 3_600_000;
/** How long a request is kept after it was decided, and how long it may wait for a decision. */
const decidedLifeMs = hourMs;
const pendingLifeMs = 24 * hourMs;

/** Deletes certificate signing requests that are no longer needed. */
export function certificateCleaning({ informers, clock }: ControllerContext): Controller {
  const requests = informers.resource(certificateSigningRequests);
  return defineController({
    name: 'certificate-cleaner',
    watches: [on(requests)],
    async reconcile(name) {
      const request = requests.get(name);
      if (!request) return done;
      const waitMs = endOf(request) - clock.now();
      if (waitMs > 0) return after(waitMs, 'the request is old enough to go then');
      const { uid } = request.metadata ?? {};
      await requests.delete(name, uid === undefined ? {} : { preconditions: { uid } });
      return done;
    },
  });
}

/** When a request expires. */
function endOf(request: CertificateSigningRequest): number {
  const { conditions = [], certificate } = request.status ?? {};
  const created = parseTime(request.metadata?.creationTimestamp) ?? 0;
  const ends = [created + pendingLifeMs];
  for (const { type, lastUpdateTime } of conditions) {
    const decided = parseTime(lastUpdateTime) ?? created;
    // An approved request without a certificate counts as pending.
    if (type === 'Denied' || type === 'Failed' || (type === 'Approved' && certificate)) {
      ends.push(decided + decidedLifeMs);
    }
  }
  const expiry = certificate && expiryOf(certificate);
  if (expiry) ends.push(expiry);
  return Math.min(...ends);
}

function expiryOf(certificate: string): number | undefined {
  try {
    return new X509Certificate(Buffer.from(certificate, 'base64')).validToDate.getTime();
  } catch {
    return undefined; // Signers of others may write what they like.
  }
}
