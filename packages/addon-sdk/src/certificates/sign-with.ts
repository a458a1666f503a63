import { CertificateName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { realClock, type WallClock } from '@flotilla/kube/clock';
import { certifyRequest, type KeyPair, loadX509 } from '@flotilla/kube/pki';
import type { Awaitable } from '../definition/manifest.ts';
import type { AgentRequest, SignRequest } from '../definition/registration.ts';
import { decodeRequest } from './agent-request.policy.ts';
import { alternativeNamesOf } from './custom-request.policy.ts';

/** How certificates are signed. */
export interface SignWithOptions {
  /** The authority, read anew for each request so that a rotated one is used at once. */
  readonly authority: (request: AgentRequest) => Awaitable<KeyPair>;
  /** How long certificates are valid; never longer than their authority. Default: a day. */
  readonly durationMs?: number;
  readonly clock?: WallClock;
}

const dayMs = 24 * 60 * 60 * 1000;
/** For clocks that are behind. */
const earlierMs = 5 * 60_000;

/**
 * Signs requests with an authority of one's own: RSA or EC, in PKCS#1 or PKCS#8. Of what a request asks for beside its subject, a
 * certificate has only the DNS name of the add-on.
 */
export const signWith =
  ({ authority, durationMs = dayMs, clock = realClock }: SignWithOptions): SignRequest =>
  async (agentRequest) => {
    const x509 = await loadX509();
    const pair = await authority(agentRequest);
    const { notAfter } = new x509.X509Certificate(pair.certificate);
    const now = clock.now();
    if (notAfter.getTime() <= now) {
      throw new KubeError('Config', `the signing CA ended at ${notAfter.toISOString()}`, {
        hint: 'Renew the certificate in the Secret of the signing CA.',
      });
    }
    const { request, context } = agentRequest;
    const decoded = await decodeRequest(request);
    if (!decoded) throw new KubeError('BadRequest', `${request.metadata?.name} holds no readable certificate request`);
    const { KeyUsageFlags, ExtendedKeyUsage } = x509;
    const ownName = CertificateName.AddOnDns.of({ addOn: context.addon.metadata?.name ?? '' });
    const asked = await alternativeNamesOf(decoded);
    const hasOwnName = asked.some(({ type, value }) => type === 'dns' && value === ownName);
    return certifyRequest(pair, decoded, {
      notBefore: now - earlierMs,
      notAfter: now + durationMs,
      extensions: [
        new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new x509.ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        ...(hasOwnName ? [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: ownName }])] : []),
      ],
    });
  };
