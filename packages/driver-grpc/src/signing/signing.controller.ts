import { ControllerName } from '@flotilla/api-types';
import { type Clock, type Controller, defineController, done, type Informers, KubeError, on } from '@flotilla/kube';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { certifyRequest, type KeyPair, loadX509 } from '@flotilla/kube/pki';
import { readRequestedSubject, recognizeAgentRequest, requestCache } from '@flotilla/registration-core/certificates';
import { signerName } from '../rules.ts';
import type { SignerAuthority } from './signer-authority.ts';
import { isToSign, lifetime } from './signing.policy.ts';

/** What certificates are signed with. */
export interface SigningControllerOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly authority: SignerAuthority;
  readonly maxLifeMs: number;
}

/** Signs approved requests of agents with the authority that the gRPC server trusts. */
export function signingController({ informers, clock, authority, maxLifeMs }: SigningControllerOptions): Controller {
  const requests = requestCache(informers);
  const waiting = () =>
    requests
      .list()
      .filter(isToSign)
      .map(({ metadata }) => metadata?.name ?? '');

  /** An administrator may have approved what the gRPC server would take for another user: that is not signed. */
  const refuse = (request: CertificateSigningRequest) => {
    const time = formatTime(clock.now());
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message:
        'the signer certifies agents of clusters only: label, common name and organization must name one cluster, and nothing else may be asked for',
      lastUpdateTime: time,
      lastTransitionTime: time,
    };
    return setStatus(request, { conditions: [...(request.status?.conditions ?? []), failed] });
  };
  const setStatus = (request: CertificateSigningRequest, status: NonNullable<CertificateSigningRequest['status']>) =>
    requests.status.replace({ ...request, status: { ...request.status, ...status } });

  return defineController({
    name: ControllerName.CsrSigning,
    watches: [
      on(requests, undefined, ({ type, object }) => type !== 'deleted' && isToSign(object)),
      ...(authority.secret ? [on(authority.secret, waiting)] : []),
    ],
    async reconcile(name, { log, signal }) {
      const cached = requests.get(name);
      const request = cached && isToSign(cached) && (await requests.find(name, { signal }));
      if (!request || !isToSign(request)) return done;
      const subject = await readRequestedSubject(request.spec.request);
      const agent = recognizeAgentRequest(request, subject, signerName);
      if (!agent) {
        await refuse(request);
        return done;
      }
      const pair = await authority.current();
      if (!pair) {
        log.warn('an approved request waits for the authority of the signer', { authority: authority.origin });
        return done;
      }
      const certificate = await sign(pair, request, { clock, maxLifeMs, origin: authority.origin });
      await setStatus(request, { certificate: Buffer.from(certificate).toString('base64') });
      log.info('signed the certificate of an agent', { cluster: agent.clusterName });
      return done;
    },
  });
}

async function sign(
  authority: KeyPair,
  { spec }: CertificateSigningRequest,
  { clock, maxLifeMs, origin }: { readonly clock: Clock; readonly maxLifeMs: number; readonly origin: string },
): Promise<string> {
  const x509 = await loadX509();
  const { notAfter: end } = new x509.X509Certificate(authority.certificate);
  if (clock.now() >= end.getTime()) {
    throw new KubeError('Config', `the authority of the signer in ${origin} ended at ${end.toISOString()}`, {
      hint: 'Replace it. The gRPC server and the agents follow without a restart.',
    });
  }
  const request = new x509.Pkcs10CertificateRequest(Buffer.from(spec.request, 'base64').toString('utf8'));
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  return certifyRequest(authority, request, {
    ...lifetime(spec, maxLifeMs, clock.now()),
    extensions: [
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment, true),
      // OCM's signer adds serverAuth: an agent could then pose as the server.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
}
