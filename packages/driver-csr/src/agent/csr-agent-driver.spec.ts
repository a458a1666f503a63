import { X509Certificate } from 'node:crypto';
import { managedClusters } from '@flotilla/api-types';
import { certificateSigningRequests, type KubeClient, KubeError, silentLogger } from '@flotilla/kube';
import type { ObtainOutcome, StoredCredentials } from '@flotilla/registration-core/contract';
import { describe, expect, it, vi } from 'vitest';
import { type DriverHub, startDriverHub } from '../fixtures/hub.ts';
import { csrDriver } from '../index.ts';
import { createKey } from './certificate-request.ts';

/** Asks until the outcome is of a kind: the signer of the hub needs a moment. */
const until = (hub: DriverHub, stored: StoredCredentials, kind: ObtainOutcome['kind']): Promise<ObtainOutcome> =>
  vi.waitFor(async () => {
    const outcome = await hub.obtain(stored);
    if (outcome.kind !== kind) throw new Error(`still ${outcome.kind}`);
    return outcome;
  });

/** What a driver wants to remember before it does anything. */
async function noted(outcome: Promise<ObtainOutcome>): Promise<{ notes: StoredCredentials }> {
  const known = await outcome;
  if (known.kind !== 'waiting') throw new Error(known.kind);
  const entries = Object.entries(known.notes ?? {});
  return { notes: Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined)) };
}

async function join(hub: DriverHub): Promise<StoredCredentials> {
  await hub.obtain();
  await hub.decide((await hub.requests()).at(-1) ?? '', 'Approved');
  const outcome = await until(hub, {}, 'obtained');
  return outcome.kind === 'obtained' ? outcome.credentials : {};
}

describe('the CSR driver of an agent', () => {
  it('[registration-agent 19.6-55, 35] asks once, waits, and hands over key and certificate when the hub issued it', async () => {
    await using hub = await startDriverHub();
    expect(await hub.obtain()).toMatchObject({ kind: 'waiting' });
    expect(await hub.obtain()).toMatchObject({ kind: 'waiting' });
    const [name = '', ...others] = await hub.requests();
    expect(others).toEqual([]);
    expect(name).toMatch(/^c1-[a-z0-9]{10}$/);
    const { metadata, spec } = await hub.plane.client.resource(certificateSigningRequests).get(name);
    expect(metadata?.labels).toEqual({ 'open-cluster-management.io/cluster-name': 'c1' });
    expect(spec).toMatchObject({
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['digital signature', 'key encipherment', 'client auth'],
    });
    expect(spec.expirationSeconds).toBeUndefined();
    expect(Buffer.from(spec.request, 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/);

    await hub.decide(name, 'Approved');
    const outcome = await until(hub, {}, 'obtained');
    if (outcome.kind !== 'obtained') throw new Error(outcome.kind);
    expect(outcome.condition).toMatchObject({ type: 'ClusterCertificateRotated', status: 'True' });
    expect(outcome.condition?.message).toMatch(
      /^client certificate rotated starting from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC to \d{4}-/,
    );
    expect(outcome.credentials['tls.key']).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
    const { subject } = new X509Certificate(outcome.credentials['tls.crt'] ?? '').toLegacyObject();
    expect(subject).toMatchObject({
      CN: 'system:open-cluster-management:c1:a1',
      O: ['system:open-cluster-management:c1', 'system:open-cluster-management:managed-clusters'],
    });
    expect(hub.driver.judge(outcome.credentials)).toMatchObject({ usable: true });
  });

  it('[registration-agent 19.6-56, 19.6-57] leaves a good certificate alone and replaces one that ended', async () => {
    await using hub = await startDriverHub({ expirationSeconds: 3600 });
    const stored = await join(hub);
    const before = await hub.requests();
    const outcome = await hub.obtain(stored);
    // Backdated by five minutes: 65 minutes of life, of which 20 % are left after 47 minutes.
    expect(outcome).toEqual({ kind: 'unchanged', nextCheckMs: 47 * 60_000 });
    expect(await hub.requests()).toEqual(before);
    await hub.clock.advance(61 * 60_000);
    expect(hub.driver.judge(stored)).toMatchObject({ usable: false, reason: 'Expired' });
    expect(await hub.obtain(stored)).toMatchObject({ kind: 'waiting' });
    // The hub has forgotten the first one by now.
    expect(await hub.requests()).toEqual([expect.not.stringMatching(before.join())]);
  });

  it('[registration-agent 19.4-45] renews when the moment that it planned has come, and not before', async () => {
    await using hub = await startDriverHub({ expirationSeconds: 3600, random: 0.999 });
    const stored = await join(hub);
    const planned = await hub.obtain(stored);
    if (planned.kind !== 'unchanged' || planned.nextCheckMs === undefined) throw new Error(planned.kind);
    await hub.clock.advance(planned.nextCheckMs - 1000);
    expect(await hub.obtain(stored)).toEqual({ kind: 'unchanged', nextCheckMs: 1000 });
    await hub.clock.advance(1000);
    expect(hub.driver.judge(stored)).toMatchObject({ usable: true });
    expect(await hub.obtain(stored)).toMatchObject({ kind: 'waiting' });
  });

  it('[registration-agent 19.4-38] hands over a certificate that has ended by then, sees that, and asks under another name', async () => {
    await using hub = await startDriverHub({ maxLifeMs: 10_000 });
    await hub.obtain();
    const [first = ''] = await hub.requests();
    await hub.decide(first, 'Approved');
    await vi.waitFor(async () => {
      const { status } = await hub.plane.client.resource(certificateSigningRequests).get(first);
      expect(status?.certificate).toBeDefined();
    });
    // The wall clock alone: the hub must not have collected the request by then.
    hub.clock.jump(20_000);
    const ended = await until(hub, {}, 'obtained');
    const stored = ended.kind === 'obtained' ? ended.credentials : {};
    expect(hub.driver.judge(stored)).toMatchObject({ usable: false, reason: 'Expired' });
    expect(await hub.obtain(stored)).toMatchObject({ kind: 'waiting' });
    const second = (await hub.requests()).find((name) => name !== first) ?? '';
    await hub.decide(second, 'Approved');
    const renewed = await until(hub, stored, 'obtained');
    if (renewed.kind !== 'obtained') throw new Error(renewed.kind);
    expect(renewed.credentials['tls.crt']).not.toBe(stored['tls.crt']);
    expect(hub.driver.judge(renewed.credentials)).toMatchObject({ usable: true });
  });

  it('[registration-agent 19.6-58] asks once for a certificate of its own name if another name is stored', async () => {
    await using hub = await startDriverHub();
    const stored = await join(hub);
    const renamed = csrDriver.agent({
      identity: { clusterName: 'c1', agentName: 'a2' },
      options: { clientCertExpirationSeconds: 0 },
      clock: hub.clock,
      log: silentLogger,
      random: () => 0,
    });
    renamed.connect(hub.connection);
    const before = await hub.requests();
    expect(await hub.obtain(stored, renamed)).toMatchObject({ kind: 'waiting' });
    expect(await hub.obtain(stored, renamed)).toMatchObject({ kind: 'waiting' });
    expect(await hub.requests()).toHaveLength(before.length + 1);
  });

  it('[registration-agent 19.2-21] does not use a certificate of somebody else', async () => {
    await using hub = await startDriverHub();
    const registration = { type: 'kubeClient', addonName: 'work', user: 'test', groups: [] } as const;
    const addon = hub.driver.fork?.(registration);
    addon?.connect(hub.connection);
    await hub.obtain({}, addon);
    await hub.decide((await hub.requests()).at(-1) ?? '', 'Approved');
    const outcome = await vi.waitFor(async () => {
      const result = await hub.obtain({}, addon);
      if (result.kind !== 'obtained') throw new Error('not yet');
      return result;
    });
    expect(new X509Certificate(outcome.credentials['tls.crt'] ?? '').subject).toContain('CN=test');
    expect(hub.driver.judge(outcome.credentials)).toMatchObject({ usable: false, reason: 'OtherSubject' });
  });

  it('respects a denial, says who denied, and asks again later', async () => {
    await using hub = await startDriverHub();
    await hub.obtain();
    const [name = ''] = await hub.requests();
    await hub.decide(name, 'Denied');
    await vi.waitFor(() => expect(hub.wakes()).toBeGreaterThan(1));
    const denied = await hub.obtain();
    expect(denied).toMatchObject({
      kind: 'waiting',
      why: `request ${name} was refused on the hub (Denied, ByAdmin: by an administrator)`,
      condition: { status: 'False', reason: 'ClientCertificateUpdateFailed' },
      nextCheckMs: 30_000,
    });
    expect(await hub.obtain()).toMatchObject({ kind: 'waiting', nextCheckMs: 30_000 });
    expect(await hub.requests()).toEqual([name]);
    await hub.clock.advance(30_000);
    await hub.obtain();
    expect(await hub.requests()).toHaveLength(2);
  });

  it.each([
    ['before the agent has seen the denial', true],
    ['after it', false],
  ])('asks again at once when the cluster is accepted after a denial, %s', async (_when, isEarly) => {
    await using hub = await startDriverHub();
    const clusters = hub.plane.client.resource(managedClusters);
    await clusters.create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: false } });
    const accept = () => clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    const refused = (count: number) =>
      vi.waitFor(async () => {
        await hub.obtain();
        expect(await hub.requests()).toHaveLength(count);
      });
    await hub.obtain();
    const [name = ''] = await hub.requests();
    await hub.decide(name, 'Denied');
    if (isEarly) await accept();
    await vi.waitFor(async () => expect(await hub.obtain()).toMatchObject({ nextCheckMs: 30_000 }));
    if (!isEarly) await accept();
    await refused(2);
    // One more, and not one after the other.
    const second = (await hub.requests()).find((other) => other !== name) ?? '';
    await hub.decide(second, 'Denied');
    await vi.waitFor(async () => expect(await hub.obtain()).toMatchObject({ nextCheckMs: 60_000 }));
    await hub.obtain();
    expect(await hub.requests()).toHaveLength(2);
  });

  it('forgets a pending key that somebody spoiled, and begins again', async () => {
    await using hub = await startDriverHub();
    hub.driver.connect(hub.connection);
    const spoiled = await hub.driver.obtain({ 'pending.tls.key': 'x' }, hub.connection);
    expect(spoiled).toMatchObject({ kind: 'failed', notes: { 'pending.tls.key': undefined } });
    expect(await noted(hub.driver.obtain({}, hub.connection))).toMatchObject({
      notes: { 'pending.tls.key': expect.stringContaining('PRIVATE KEY') },
    });
  });

  it('asks once, although the answer of the hub is lost and the cache does not show the request yet', async () => {
    await using hub = await startDriverHub();
    await using elsewhere = await startDriverHub();
    const { client } = hub.plane;
    let lost = 0;
    const losing: KubeClient = {
      ...client,
      resource: (type) => {
        const handle = client.resource(type);
        const create: typeof handle.create = async (object, options) => {
          const created = await handle.create(object, options);
          lost += 1;
          if (lost === 1) throw new KubeError('Timeout', 'the answer did not come in time');
          return created;
        };
        return { ...handle, create };
      },
    };
    const connection = { ...elsewhere.connection, hub: losing };
    hub.driver.connect(connection);
    const { notes } = await noted(hub.driver.obtain({}, connection));
    expect(await hub.driver.obtain(notes, connection)).toMatchObject({ kind: 'failed' });
    expect(await hub.driver.obtain(notes, connection)).toMatchObject({ kind: 'waiting' });
    expect(await hub.requests()).toHaveLength(1);
  });

  it('starts anew when its request was deleted', async () => {
    await using hub = await startDriverHub();
    await hub.obtain();
    const [name = ''] = await hub.requests();
    await hub.plane.client.resource(certificateSigningRequests).delete(name);
    const failed = await until(hub, {}, 'failed');
    expect(failed.condition?.message).toBe(
      `Failed to rotated client certificate unable to get csr "${name}". It might have already been deleted`,
    );
    await hub.obtain();
    expect(await hub.requests()).not.toContain(name);
  });

  it('[registration-agent 19.6-65] stops at ten requests that nobody decides about', async () => {
    await using hub = await startDriverHub();
    await hub.obtain();
    const handle = hub.plane.client.resource(certificateSigningRequests);
    const [name = ''] = await hub.requests();
    const { spec, metadata } = await handle.get(name);
    for (let index = 0; index < 10; index += 1) {
      await handle.create({ metadata: { name: `c1-x${index}`, labels: metadata?.labels ?? {} }, spec });
    }
    await handle.delete(name);
    await until(hub, {}, 'failed');
    const halted = await vi.waitFor(async () => {
      const outcome = await hub.obtain();
      expect(outcome.condition?.message).toBe('Stop creating csr since there are too many csr created already on hub');
      return outcome;
    });
    expect(halted.kind).toBe('waiting');
    expect(await hub.requests()).toHaveLength(10);
    await hub.decide('c1-x0', 'Denied');
    await vi.waitFor(async () => {
      await hub.obtain();
      expect(await hub.requests()).toHaveLength(11);
    });
  });

  it('[registration-agent 19.2-20, 19.2-22, 19.6-59] judges what is stored without asking anybody', async () => {
    await using hub = await startDriverHub();
    const stored = await join(hub);
    const judge = (changes: Record<string, string | undefined>) => {
      const merged = Object.entries({ ...stored, ...changes }).filter((entry): entry is [string, string] => !!entry[1]);
      return hub.driver.judge(Object.fromEntries(merged));
    };
    expect(judge({})).toMatchObject({ usable: true });
    expect(judge({ 'tls.key': undefined })).toMatchObject({ usable: false, reason: 'NoKey' });
    expect(judge({ 'tls.crt': undefined })).toMatchObject({ usable: false, reason: 'NoCertificate' });
    expect(judge({ 'tls.crt': 'garbage' })).toMatchObject({ usable: false, reason: 'NoCertificate' });
    expect(judge({ 'tls.key': createKey() })).toMatchObject({ usable: false, reason: 'OtherKey' });
    const other = csrDriver.agent({
      identity: { clusterName: 'c10', agentName: 'a1' },
      options: { clientCertExpirationSeconds: 0 },
      clock: hub.clock,
      log: silentLogger,
      random: () => 0,
    });
    expect(other.judge(stored)).toMatchObject({ usable: false, reason: 'OtherSubject' });
  });

  it.each([
    [0, true],
    [1200, false],
    [3599, false],
    [3600, true],
    [7200, true],
  ])(
    '[registration-agent 19.1-5] with an expiration of %i s is acceptable: %s',
    (clientCertExpirationSeconds, fine) => {
      const make = () =>
        csrDriver.agent({
          identity: { clusterName: 'c1', agentName: 'a1' },
          options: { clientCertExpirationSeconds },
          clock: { now: () => 0, monotonic: () => 0, schedule: () => () => {}, sleep: async () => {} },
          log: silentLogger,
          random: () => 0,
        });
      if (fine) expect(make).not.toThrow();
      else expect(make).toThrow('client certificate expiration seconds must greater or qual to 3600');
    },
  );

  it('[registration-agent 19.6-63] asks for add-ons by their own names, signer and DNS name', async () => {
    await using hub = await startDriverHub();
    const registration = { type: 'kubeClient', addonName: 'work', user: '', groups: [] } as const;
    const addon = hub.driver.fork?.(registration);
    addon?.connect(hub.connection);
    await hub.obtain({}, addon);
    const [name = ''] = await hub.requests();
    expect(name).toMatch(/^addon-c1-work-/);
    const { metadata, spec } = await hub.plane.client.resource(certificateSigningRequests).get(name);
    expect(metadata?.labels).toEqual({
      'open-cluster-management.io/cluster-name': 'c1',
      'open-cluster-management.io/addon-name': 'work',
    });
    expect(spec.signerName).toBe('kubernetes.io/kube-apiserver-client');
    await hub.decide(name, 'Approved');
    const outcome = await vi.waitFor(async () => {
      const result = await hub.obtain({}, addon);
      if (result.kind !== 'obtained') throw new Error('not yet');
      return result;
    });
    const certificate = new X509Certificate(outcome.credentials['tls.crt'] ?? '');
    expect(certificate.toLegacyObject().subject).toMatchObject({
      CN: 'system:open-cluster-management:cluster:c1:addon:work:agent:work',
      O: 'system:open-cluster-management:cluster:c1:addon:work',
    });
    expect(certificate.subjectAltName).toBe('DNS:work.addon.open-cluster-management.io');
  });

  it('tells the truth about its connection', async () => {
    await using hub = await startDriverHub();
    const check = (name: string) =>
      hub.driver.checkConnection({ ...hub.connection, hub: hub.plane.clientOf({ name, groups: [] }) });
    expect(await hub.driver.checkConnection(hub.connection)).toEqual({ usable: true });
    expect(await check('stranger')).toMatchObject({ usable: false, reason: 'Forbidden' });
  });
});
