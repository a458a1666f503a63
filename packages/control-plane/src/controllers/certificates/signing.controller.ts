import { type Controller, defineController, done, on } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { SignOptions, SignOutcome } from '../../authn/index.ts';
import type { ControllerContext } from '../context.ts';

/** Signs by the rules of a signer; `ignored` if it is none of this control plane's. */
export type CertificateSigner = (
  request: Pick<SignOptions, 'request' | 'signerName' | 'usages' | 'expirationSeconds'>,
) => Promise<SignOutcome>;

const has = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/** Issues the certificates of requests that were approved. */
export function certificateSigning({ informers, clock }: ControllerContext, sign: CertificateSigner): Controller {
  const requests = informers.resource(certificateSigningRequests);
  return defineController({
    name: 'certificate-signing',
    watches: [on(requests)],
    async reconcile(name) {
      const request = requests.get(name);
      if (!request || !has(request, 'Approved') || has(request, 'Denied') || has(request, 'Failed')) return done;
      if (request.status?.certificate) return done;
      const { spec } = request;
      const outcome = await sign({
        request: Buffer.from(spec.request, 'base64').toString('utf8'),
        signerName: spec.signerName,
        usages: spec.usages ?? [],
        ...(spec.expirationSeconds !== undefined && { expirationSeconds: spec.expirationSeconds }),
      });
      if (outcome.kind === 'ignored') return done;
      const status =
        outcome.kind === 'signed'
          ? { ...request.status, certificate: Buffer.from(outcome.certificate).toString('base64') }
          : { ...request.status, conditions: [...(request.status?.conditions ?? []), failed(outcome, clock.now())] };
      await requests.status.replace({ ...request, status });
      return done;
    },
  });
}

const failed = ({ reason, message }: Extract<SignOutcome, { kind: 'refused' }>, now: number) => ({
  type: 'Failed',
  status: 'True',
  reason,
  message,
  lastUpdateTime: formatTime(now),
});
