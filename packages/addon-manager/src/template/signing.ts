import type { SignRequest } from '@flotilla/addon-sdk';
import { DataKey } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { certifyRequest, decodeCertificateRequest, type KeyPair, loadX509 } from '@flotilla/kube/pki';
import { firstPemBlock } from '@flotilla/schema';
import type { SigningCa } from './registrations.ts';

/** What certificates are signed with. */
export interface SigningOptions {
  readonly client: KubeClient;
  /** Of the Secrets of templates that name none: that of the add-on manager. */
  readonly namespace: string;
  readonly clock: Clock;
}

/** As long as OCM's live. */
const lifeMs = 24 * 3_600_000;
/** For clocks that are behind. */
const earlierMs = 5 * 60_000;

/** Signs requests of the agents of a template with the authority in a Secret, which is read for each, so that it may change. */
export const signingWith =
  ({ client, namespace, clock }: SigningOptions) =>
  (ca: SigningCa): SignRequest =>
  async ({ request, context: { signal } }) => {
    const authority = await readAuthority(client, `${ca.namespace || namespace}/${ca.name}`, signal);
    return certify(authority, request.spec.request, clock.now());
  };

async function readAuthority(client: KubeClient, key: `${string}/${string}`, signal: AbortSignal): Promise<KeyPair> {
  const secret = await client.resource(secrets).find(key, { signal });
  const text = (name: string) => Buffer.from(secret?.data?.[name] ?? '', 'base64').toString('utf8');
  const pair = { certificate: text(DataKey.TlsCertificate), key: text(DataKey.TlsKey) };
  if (pair.certificate && pair.key) return pair;
  throw new KubeError('Config', secret ? `Secret ${key} has no tls.crt and tls.key` : `Secret ${key} is not there`, {
    hint: 'Create it with the certificate and the key of the authority that registration.customSigner.signingCA names, and let the add-on manager get it.',
  });
}

const subjectAlternativeName = '2.5.29.17';

/** A certificate for server and client with the subject, the names and the key of the request. */
async function certify(authority: KeyPair, requestPem: string, now: number): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  if (issuer.notAfter.getTime() <= now) {
    throw new KubeError('Config', `the authority ${issuer.subject} has ended at ${issuer.notAfter.toISOString()}`, {
      hint: 'Put a current certificate into the Secret of the signing CA.',
    });
  }
  const block = firstPemBlock(Buffer.from(requestPem, 'base64').toString('utf8'));
  const request = await decodeCertificateRequest(block?.body ?? '');
  return certifyRequest(authority, request, {
    notBefore: now - earlierMs,
    notAfter: now + lifeMs,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      // Names only: what else a request asks for, such as to be an authority itself, is not for it to decide.
      ...request.extensions.filter(({ type }) => type === subjectAlternativeName),
    ],
  });
}
