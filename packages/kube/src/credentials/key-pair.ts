import { createPrivateKey, X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';

/** Throws unless every certificate of the bundle can be read: a file caught half-written must not replace a good one. */
export function checkCertificates(pem: string, where: string): void {
  const blocks = certificateBlocks(pem);
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (blocks.length === 0 || blocks.length !== begun) {
    throw new KubeError('Config', `${where} does not hold whole PEM certificates`, {
      hint: 'It must be PEM: -----BEGIN CERTIFICATE----- and so on; in a …-data field, that in base64.',
    });
  }
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw new KubeError('Config', `${where} holds a certificate that cannot be read`, { cause });
    }
  }
}

/** Throws unless the key belongs to the certificate: after a rotation, one of the two files may still be the old one. */
export function checkKeyPair(pair: { certificate: string; key: string }, where: string): void {
  checkCertificates(pair.certificate, `the client certificate of ${where}`);
  let matches: boolean;
  try {
    matches = new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.key));
  } catch (cause) {
    throw new KubeError('Config', `the client key of ${where} cannot be read`, {
      cause,
      hint: 'It must be an unencrypted private key in PEM.',
    });
  }
  if (!matches) {
    throw new KubeError('Config', `the client key of ${where} does not belong to its client certificate`, {
      hint: 'Write both anew from the same source; if they are being rotated, the second is about to follow.',
    });
  }
}
