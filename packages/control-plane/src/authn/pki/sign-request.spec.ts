import { webcrypto, X509Certificate } from 'node:crypto';
import { createAuthority, type KeyPair, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import type { JsonGeneralName } from '@peculiar/x509';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCertificateRequest } from './certificate-request.ts';
import { type SignOptions, signCertificateRequest } from './sign-request.ts';
import { clientSigner, kubeletClientSigner, kubeletServingSigner, legacySigner } from './signer-rules.ts';

const clock = new FakeClock('2026-01-01T00:00:00Z');
const hourMs = 60 * 60 * 1000;
const client = ['client auth', 'digital signature'];
let authority: KeyPair;
beforeAll(async () => {
  authority = await createAuthority('spec-ca', clock);
});

async function makeRequest(subject: string, names: JsonGeneralName[] = []): Promise<string> {
  const x509 = await loadX509();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']),
    signingAlgorithm: keyAlgorithm,
    extensions: names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)],
  });
  return request.toString('pem');
}

const sign = async (request: string, more: Partial<SignOptions> = {}) =>
  signCertificateRequest({ authority, request, signerName: clientSigner, usages: client, clock, ...more });

async function signed(request: string, more: Partial<SignOptions> = {}): Promise<X509Certificate> {
  const outcome = await sign(request, more);
  if (outcome.kind !== 'signed') throw new Error(`not signed: ${JSON.stringify(outcome)}`);
  return new X509Certificate(outcome.certificate);
}

describe('a certificate for a client', () => {
  test('has the subject and names of the request, the usages of the API, and is not a CA', async () => {
    const names: JsonGeneralName[] = [{ type: 'dns', value: 'a.example' }];
    const certificate = await signed(await makeRequest('O=devs, O=ops, CN=jane', names));
    expect(certificate.subject.split('\n')).toEqual(['O=devs', 'O=ops', 'CN=jane']);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.subjectAltName).toBe('DNS:a.example');
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  });

  const lives: Record<string, [Partial<SignOptions>, number]> = {
    'lives a year, counted from its backdated start': [{}, 365 * 24 * hourMs - 300_000],
    'lives as long as asked': [{ expirationSeconds: 3600 }, hourMs],
    'lives at least ten minutes': [{ expirationSeconds: 60 }, hourMs / 6],
    'lives no longer than the signer allows': [{ expirationSeconds: 2 * 3600, maxLifeMs: hourMs }, hourMs],
    'lives as short as the signer allows if nothing is asked for': [{ maxLifeMs: 20_000 }, 20_000],
    'lives no longer than its authority': [{ maxLifeMs: 20 * 365 * 24 * hourMs }, 3650 * 24 * hourMs],
  };
  test.each(Object.entries(lives))('%s', async (_, [options, life]) => {
    const certificate = await signed(await makeRequest('CN=jane'), options);
    expect(certificate.validFromDate.getTime()).toBe(clock.now() - 300_000);
    expect(certificate.validToDate.getTime() - clock.now()).toBe(life);
  });
});

describe('a request is refused', () => {
  const node = 'O=system:nodes, CN=system:node:n';
  const dns: JsonGeneralName[] = [{ type: 'dns', value: 'n' }];
  const serving = ['server auth', 'digital signature', 'key encipherment'];
  const cases: Record<string, [string, string, readonly string[], JsonGeneralName[], string | undefined]> = {
    'for a client with a usage of servers': [
      clientSigner,
      'CN=a',
      [...client, 'server auth'],
      [],
      'invalid usage for client certificate: server auth',
    ],
    'for a client without the usage of clients': [
      clientSigner,
      'CN=a',
      ['digital signature'],
      [],
      'missing required usage for client certificate: client auth',
    ],
    'for a kubelet of another organization': [
      kubeletClientSigner,
      'CN=system:node:n',
      client,
      [],
      'subject organization is not system:nodes',
    ],
    'for a kubelet with alternative names': [
      kubeletClientSigner,
      node,
      client,
      dns,
      'DNS subjectAltNames are not allowed',
    ],
    'for a kubelet with another name': [
      kubeletClientSigner,
      'O=system:nodes, CN=n',
      client,
      [],
      'subject common name does not begin with system:node:',
    ],
    'for a kubelet with other usages': [
      kubeletClientSigner,
      node,
      ['client auth'],
      [],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    'for serving without a host': [kubeletServingSigner, node, serving, [], 'DNS or IP subjectAltName is required'],
    'for serving with an address of mail': [
      kubeletServingSigner,
      node,
      serving,
      [...dns, { type: 'email', value: 'a@b' }],
      'Email subjectAltNames are not allowed',
    ],
    'for serving with usages of clients': [
      kubeletServingSigner,
      node,
      client,
      dns,
      'usages did not match [digital signature key encipherment server auth]',
    ],
    'never by the signer without rules': [legacySigner, 'CN=a', ['any', 'code signing'], dns, undefined],
    'never for a kubelet that is right': [kubeletClientSigner, node, client, [], undefined],
    'never for serving that is right': [kubeletServingSigner, node, serving, dns, undefined],
  };
  test.each(Object.entries(cases))('%s', async (_, [signerName, subject, usages, names, message]) => {
    const outcome = await sign(await makeRequest(subject, names), { signerName, usages });
    if (message === undefined) expect(outcome.kind).toBe('signed');
    else expect(outcome).toEqual({ kind: 'refused', reason: 'SignerValidationFailure', message });
  });
});

test('a request for an unknown signer is ignored', async () => {
  expect(await sign('anything', { signerName: 'example.com/own' })).toEqual({ kind: 'ignored' });
});

describe('a request cannot be read', () => {
  test('if it is not PEM, of another kind, or broken', async () => {
    const good = await makeRequest('CN=jane');
    await expect(sign('hello')).rejects.toThrow('PEM block type must be CERTIFICATE REQUEST');
    await expect(sign(authority.certificate)).rejects.toThrow('PEM block type must be CERTIFICATE REQUEST');
    await expect(sign(good.replace(/\n[A-Za-z0-9+/]{20}/, '\n'))).rejects.toThrow('unable to');
  });

  test('if whoever made it does not hold the key', async () => {
    const [jane, john] = [await makeRequest('CN=jane'), await makeRequest('CN=john')];
    const der = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
    const forged = Buffer.concat([der(jane).subarray(0, -20), der(john).subarray(-20)]);
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${forged.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
    await expect(parseCertificateRequest(pem)).rejects.toThrow('unable to verify certificate request signature');
  });
});
