import { webcrypto } from 'node:crypto';
import { loadX509 } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { createCertificateRequest, createKey, fingerprintOf } from './certificate-request.ts';
import { readRequestedSubject } from './requested-subject.ts';

const encoded = (pem: string) => Buffer.from(pem).toString('base64');
const subject = { user: 'u', groups: ['g', 'h'], organizationUnits: [], dnsNames: [] };

it('[registration-hub 19.3-38] reads certificate requests only, and nothing else that is written like one', async () => {
  const key = createKey();
  const pem = await createCertificateRequest(key, subject);
  expect(await readRequestedSubject(encoded(pem))).toEqual({
    keyFingerprint: fingerprintOf(key),
    commonNames: ['u'],
    organizations: ['g', 'h'],
    organizationUnits: [],
    hasAlternativeNames: false,
  });
  for (const other of [
    pem.replaceAll('CERTIFICATE REQUEST', 'RSA PRIVATE KEY'),
    pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
    pem.replace(/[A-Za-z0-9+/]{40}/, ''),
    'nonsense',
    '',
  ]) {
    expect(await readRequestedSubject(encoded(other))).toBeUndefined();
  }
});

const honest = await createCertificateRequest(createKey(), subject);
const forged = await createCertificateRequest(createKey(), { ...subject, user: 'admin', groups: ['admins'] });

// Go's PEM reader, which API server and signer use, takes the forged block of each of these.
it.each([
  { how: 'before which stands one that does not begin a line', text: `x${honest}${forged}` },
  { how: 'before which stands one that is indented', text: ` ${honest}${forged}` },
  { how: 'with headers, after which comes an honest one', text: `${forged.replace('\n', '\nA: b\n\n')}${honest}` },
  { how: 'with spaces after its first line', text: `${forged.replace('-----\n', '----- \n')}${honest}` },
  { how: 'with tabs in its lines', text: `${forged.replace('\nM', '\nM\t')}${honest}` },
  { how: 'after which comes an honest one', text: `${forged}${honest}` },
])('does not read a request beside a block $how', async ({ text }) => {
  expect(await readRequestedSubject(encoded(text))).toBeUndefined();
});

it('sees what is asked for beside user and groups, wherever it is written', async () => {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const usual = { keys, signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' } };
  const password = new x509.ChallengePasswordAttribute('secret');
  const asking = async (name: string | Record<string, string[]>[], attributes: (typeof password)[] = []) => {
    const request = await x509.Pkcs10CertificateRequestGenerator.create({ ...usual, name, attributes });
    return (await readRequestedSubject(encoded(request.toString('pem'))))?.hasAlternativeNames;
  };
  expect(await asking('CN=u,O=g')).toBe(false);
  expect(await asking('CN=u,O=g', [password])).toBe(true);
  // By this part Kubernetes takes the uid of a user from a certificate.
  expect(await asking([{ CN: ['u'] }, { '1.3.6.1.4.1.57683.2': ['uid'] }])).toBe(true);
});
