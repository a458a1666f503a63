import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPki } from './control-plane-pki.ts';
import { directoryKeyStore, memoryKeyStore } from './key-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const clockAt = () => new FakeClock('2026-01-01T00:00:00Z');

describe('the certificates of a control plane', () => {
  test('are signed by its own authority, each for its own use', async () => {
    const clock = clockAt();
    const { authority, serving, admin } = await createPki({ store: memoryKeyStore(), clock, hosts: ['hub.example'] });
    const ca = new X509Certificate(authority.certificate);
    const [server, client] = [serving, admin].map(({ certificate }) => new X509Certificate(certificate));
    expect(ca.ca).toBe(true);
    expect(server?.verify(ca.publicKey)).toBe(true);
    expect(client?.verify(ca.publicKey)).toBe(true);
    expect(server?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(client?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(client?.subject.split('\n')).toEqual(['O=system:masters', 'CN=kubernetes-admin']);
    for (const host of ['localhost', 'kubernetes.default.svc', 'hub.example'])
      expect(server?.checkHost(host)).toBe(host);
    for (const ip of ['127.0.0.1', '::1']) expect(server?.checkIP(ip)).toBe(ip);
    expect(server?.checkHost('example.org')).toBeUndefined();
    expect(createPublicKey(serving.key).equals(server?.publicKey ?? createPublicKey(admin.key))).toBe(true);
  });

  test('stay the same as long as they are good', async () => {
    const store = memoryKeyStore();
    const clock = clockAt();
    const first = await createPki({ store, clock });
    await clock.advance(200 * dayMs);
    const second = await createPki({ store, clock });
    expect({ ...second, renew: undefined }).toEqual({ ...first, renew: undefined });
    expect(await second.renew()).toBe(false);
  });

  test('are replaced when a third of their life is left, and the authority is not', async () => {
    const clock = clockAt();
    const pki = await createPki({ store: memoryKeyStore(), clock });
    const before = { ...pki };
    await clock.advance(245 * dayMs);
    expect(await pki.renew()).toBe(true);
    expect(pki.serving.certificate).not.toBe(before.serving.certificate);
    expect(pki.admin.certificate).not.toBe(before.admin.certificate);
    expect(pki.authority).toEqual(before.authority);
    expect(pki.serviceAccountKey).toBe(before.serviceAccountKey);
  });

  test('are made anew for another host, and are kept when the authority is renewed, which keeps its key', async () => {
    const store = memoryKeyStore();
    const clock = clockAt();
    const first = await createPki({ store, clock });
    const second = await createPki({ store, clock, hosts: ['new.example'] });
    expect(second.serving).not.toEqual(first.serving);
    expect(second.admin).toEqual(first.admin);
    await clock.advance(7 * 365 * dayMs);
    const third = await createPki({ store, clock });
    expect(third.authority.certificate).not.toBe(first.authority.certificate);
    expect(third.authority.key).toBe(first.authority.key);
    for (const { certificate } of [first.authority, third.authority]) {
      const ca = new X509Certificate(certificate);
      expect(new X509Certificate(third.serving.certificate).verify(ca.publicKey)).toBe(true);
    }
  });
});

describe('a certificate that does not fit its key', () => {
  /** A store in which the key of a pair was replaced. */
  async function mixedUp(name: string) {
    const store = memoryKeyStore();
    const clock = clockAt();
    const first = await createPki({ store, clock });
    const foreign = await createPki({ store: memoryKeyStore(), clock });
    await store.write(`${name}.key`, name === 'ca' ? foreign.authority.key : foreign.serving.key);
    return { store, clock, first };
  }

  test('is issued again', async () => {
    const { store, clock, first } = await mixedUp('serving');
    const second = await createPki({ store, clock });
    expect(second.serving).not.toEqual(first.serving);
    const { publicKey } = new X509Certificate(second.serving.certificate);
    expect(createPublicKey(second.serving.key).equals(publicKey)).toBe(true);
    expect(second.authority).toEqual(first.authority);
  });

  test('of an authority is refused: with another authority all clients would lose access', async () => {
    const { store, clock } = await mixedUp('ca');
    await expect(createPki({ store, clock })).rejects.toThrow('the certificate ca.crt is not that of the key ca.key');
  });
});

describe('a directory of keys', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'flotilla-pki-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('is for its owner only, and is found again', async () => {
    const clock = clockAt();
    const home = join(directory, 'pki');
    const first = await createPki({ store: await directoryKeyStore(home), clock });
    const names = readdirSync(home).sort();
    expect(names).toEqual([
      'admin.crt',
      'admin.key',
      'ca.crt',
      'ca.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'kubelet-client.crt',
      'kubelet-client.key',
      'sa.key',
      'serving.crt',
      'serving.key',
    ]);
    for (const name of names) expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const second = await createPki({ store: await directoryKeyStore(home), clock });
    expect(second.authority).toEqual(first.authority);
    expect(second.serviceAccountKey).toBe(first.serviceAccountKey);
  });
});
