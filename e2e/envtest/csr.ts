import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A fresh key and a request for a client certificate with it, both PEM. */
export async function createCsr(options: {
  name: string;
  groups: string[];
}): Promise<{ request: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [...options.groups.map((group) => ({ O: [group] })), { CN: [options.name] }],
    keys,
    signingAlgorithm: algorithm,
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { request: request.toString('pem'), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
