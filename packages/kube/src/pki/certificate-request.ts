import type { Pkcs10CertificateRequest } from '@peculiar/x509';
import { KubeError } from '../errors/kube-error.ts';
import { loadX509 } from './x509.ts';

/**
 * Decodes a PKCS#10 request from the base64 between the lines of its PEM, and checks that who made it holds the key. Throws KubeError
 * `BadRequest` otherwise.
 */
export async function decodeCertificateRequest(body: string): Promise<Pkcs10CertificateRequest> {
  const x509 = await loadX509();
  let request: Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(Buffer.from(body, 'base64'));
  } catch (cause) {
    throw new KubeError('BadRequest', 'unable to parse certificate request', { cause, hint });
  }
  const holdsKey = await request.verify().catch(() => false);
  if (!holdsKey) throw new KubeError('BadRequest', 'unable to verify certificate request signature', { hint });
  return request;
}

const hint = 'Make the request anew, for example with `openssl req -new`, and give it whole in PEM form.';
