import { createPublicKey, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../testing/index.ts';
import { createAuthority, isPair, issueCertificate, renewAuthority } from './authority.ts';
import { loadX509 } from './x509.ts';

const clock = new FakeClock('2026-03-01T00:00:00Z');

test('an authority signs itself and may sign others', async () => {
  const authority = await createAuthority('test-ca', clock);
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.subject).toBe('CN=test-ca');
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test('a server certificate is valid for its names and addresses, from five minutes ago for as long as asked', async () => {
  const authority = await createAuthority('test-ca', clock);
  const hosts = ['127.0.0.1', 'localhost', 'kubernetes.default.svc'];
  const pair = await issueCertificate(authority, { usage: 'server', hosts, ttlMs: 60_000 }, clock);
  const certificate = new X509Certificate(pair.certificate);
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
  expect(certificate.checkHost('example.org')).toBeUndefined();
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.validFromDate).toEqual(new Date('2026-02-28T23:55:00Z'));
  expect(certificate.validToDate).toEqual(new Date('2026-03-01T00:01:00Z'));
});

test('a leaf is signed by its authority', async () => {
  const authority = await createAuthority('test-ca', clock);
  const pair = await issueCertificate(authority, { usage: 'client', name: 'jane' }, clock);
  const leaf = new X509Certificate(pair.certificate);
  const issuer = new X509Certificate(authority.certificate);
  expect(leaf.checkIssued(issuer)).toBe(true);
  expect(leaf.verify(issuer.publicKey)).toBe(true);
  expect(leaf.verify(leaf.publicKey)).toBe(false);
  expect(createPublicKey(pair.key).equals(leaf.publicKey)).toBe(true);
});

test('names and groups survive whatever characters they are made of', async () => {
  const x509 = await loadX509();
  const authority = await createAuthority('test-ca', clock);
  const word = fc.string({ unit: fc.constantFrom(...'aZ0:/,+="\\;<># .é漢'), minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(word, fc.uniqueArray(word, { maxLength: 3 }), async (name, groups) => {
      const { certificate } = await issueCertificate(authority, { usage: 'client', name, groups }, clock);
      const { subjectName } = new x509.X509Certificate(certificate);
      expect(subjectName.getField('CN')).toEqual([name]);
      expect(subjectName.getField('O')).toEqual(groups);
    }),
    { numRuns: 30 },
  );
});

test('a renewed authority verifies what was signed before, and the old one what is signed afterwards', async () => {
  const later = new FakeClock('2033-01-01T00:00:00Z');
  const old = await createAuthority('test-ca', clock);
  const renewed = await renewAuthority(old, later);
  expect(renewed.certificate).not.toBe(old.certificate);
  expect(isPair(renewed)).toBe(true);
  const [oldCa, newCa] = [old, renewed].map(({ certificate }) => new X509Certificate(certificate));
  expect(newCa?.subject).toBe(oldCa?.subject);
  expect(newCa?.validToDate).toEqual(new Date('2042-12-30T00:00:00Z'));
  for (const [authority, other] of [
    [old, newCa],
    [renewed, oldCa],
  ] as const) {
    const { certificate } = await issueCertificate(authority, { usage: 'client', name: 'jane' }, clock);
    const leaf = new X509Certificate(certificate);
    expect([other && leaf.checkIssued(other), other && leaf.verify(other.publicKey)]).toEqual([true, true]);
  }
});

test('a certificate and a key that belong to different authorities are not a pair', async () => {
  const [one, other] = await Promise.all([createAuthority('test-ca', clock), createAuthority('test-ca', clock)]);
  expect([isPair(one), isPair({ certificate: one.certificate, key: other.key })]).toEqual([true, false]);
});
