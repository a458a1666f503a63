import { X509Certificate } from 'node:crypto';
import type { SignRequest } from '@flotilla/addon-sdk';
import { startControlPlane } from '@flotilla/control-plane';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { createAuthority, generateKeys, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { signingWith } from './signing.ts';

async function certificateRequest(): Promise<Parameters<SignRequest>[0]> {
  const x509 = await loadX509();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['g'] }, { CN: ['agent'] }],
    keys: await generateKeys(),
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'hello.addon.open-cluster-management.io' },
        { type: 'dns', value: 'server.example' },
      ]),
      new x509.BasicConstraintsExtension(true, undefined, true),
    ],
  });
  const text = Buffer.from(request.toString('pem')).toString('base64');
  const spec = { request: text, signerName: 'example.com/s', usages: [] };
  const cluster = { metadata: { name: 'c1' } };
  const addon = { metadata: { name: 'hello', namespace: 'c1' }, spec: {} };
  const { signal } = new AbortController();
  return {
    request: { metadata: { name: 'r' }, spec },
    context: { cluster, addon, configs: {}, mode: 'Default', signal },
  };
}

async function start() {
  const clock = new FakeClock(Date.parse('2026-01-01T00:00:00Z'));
  const plane = await startControlPlane({ listen: false, clock });
  await plane.client.resource(namespaces).create({ metadata: { name: 'hub' } });
  const store = async (ttlMs: number) => {
    const { certificate, key } = await createAuthority('the CA', clock, { ttlMs });
    const data = {
      'tls.crt': Buffer.from(certificate).toString('base64'),
      'tls.key': Buffer.from(key).toString('base64'),
    };
    await plane.client.resource(secrets).create({ metadata: { namespace: 'hub', name: 'ca' }, data });
    return certificate;
  };
  const signer = signingWith({ client: plane.client, namespace: 'hub', clock });
  return { clock, store, signer, sign: signer({ name: 'ca' }), [Symbol.asyncDispose]: () => plane.stop() };
}

const dayMs = 24 * 3_600_000;

describe('[addons 131] the certificate of a custom signer', () => {
  it('is an error while there is no authority, and is given when there is one', async () => {
    await using scene = await start();
    const request = await certificateRequest();
    await expect(scene.sign(request)).rejects.toThrow('Secret hub/ca is not there');
    const authority = new X509Certificate(await scene.store(10 * dayMs));
    const certificate = new X509Certificate(await scene.sign(request));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subject).toBe('O=g\nCN=agent');
    expect(certificate.subjectAltName).toBe('DNS:hello.addon.open-cluster-management.io');
    expect(certificate.validFromDate.getTime()).toBe(scene.clock.now() - 5 * 60_000);
    expect(certificate.validToDate.getTime()).toBe(scene.clock.now() + dayMs);
    expect(certificate.ca).toBe(false);
  });

  it.each(['hub', 'open-cluster-management-hub'])(
    'is not of the authority of the hub in namespace %s',
    async (namespace) => {
      await using scene = await start();
      const sign = scene.signer({ namespace, name: 'signer-secret' });
      await expect(sign(await certificateRequest())).rejects.toThrow(
        `Secret ${namespace}/signer-secret is the authority of the hub itself`,
      );
    },
  );

  it('ends with its authority', async () => {
    await using scene = await start();
    const authority = new X509Certificate(await scene.store(3_600_000));
    const certificate = new X509Certificate(await scene.sign(await certificateRequest()));
    expect(certificate.validTo).toBe(authority.validTo);
  });

  it('is an error when the authority has ended', async () => {
    await using scene = await start();
    await scene.store(3_600_000);
    await scene.clock.advance(3_600_001);
    await expect(scene.sign(await certificateRequest())).rejects.toThrow('the signing CA ended at ');
  });
});
