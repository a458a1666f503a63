import { expect, it } from 'vitest';
import { createCertificateRequest, createKey } from '../agent/certificate-request.ts';
import { readRequestedSubject } from './requested-subject.ts';

const encoded = (pem: string) => Buffer.from(pem).toString('base64');
const subject = { user: 'u', groups: ['g', 'h'], organizationUnits: [], dnsNames: [] };

it('[registration-hub 19.3-38] reads certificate requests only, and nothing else that is written like one', async () => {
  const pem = await createCertificateRequest(createKey(), subject);
  expect(await readRequestedSubject(encoded(pem))).toEqual({
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
