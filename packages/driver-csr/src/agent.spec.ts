import { X509Certificate } from 'node:crypto';
import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError, silentLogger } from '@flotilla/kube';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { createCertificateRequest, createKey, readRequestedSubject } from '@flotilla/registration-core/certificates';
import type { ObtainOutcome, StoredCredentials } from '@flotilla/registration-core/contract';
import { describe, expect, it, vi } from 'vitest';
import { type DriverHub, startDriverHub } from './fixtures/hub.ts';

const why = 'the certificate is due for renewal';

/** Asks until the outcome is of a kind: the signer of the hub needs a moment. */
const until = (hub: DriverHub, stored: StoredCredentials, kind: ObtainOutcome['kind']): Promise<ObtainOutcome> =>
  vi.waitFor(async () => {
    const outcome = await hub.obtain(stored);
    if (outcome.kind !== kind) throw new Error(`still ${outcome.kind}`);
    return outcome;
  });

/** What a driver wants to remember before it does anything. */
async function notesOf(outcome: Promise<ObtainOutcome>): Promise<{ notes: StoredCredentials }> {
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
    expect(hub.driver.evaluate(outcome.credentials)).toMatchObject({ usable: true });
  });

  it('[registration-agent 19.6-56, 19.6-57] leaves a good certificate alone and replaces one that ended', async () => {
    await using hub = await startDriverHub({ expirationSeconds: 3600 });
    const stored = await join(hub);
    const before = await hub.requests();
    const outcome = await hub.obtain(stored);
    // Backdated by five minutes: 65 minutes of life, of which 20 % are left after 47 minutes.
    expect(outcome).toEqual({ kind: 'unchanged', next: { afterMs: 47 * 60_000, why } });
    expect(await hub.requests()).toEqual(before);
    await hub.clock.advance(61 * 60_000);
    expect(hub.driver.evaluate(stored)).toMatchObject({ usable: false, reason: 'Expired' });
    expect(await hub.obtain(stored)).toMatchObject({ kind: 'waiting' });
    // The hub has forgotten the first one by now.
    expect(await hub.requests()).toEqual([expect.not.stringMatching(before.join())]);
  });

  it('[registration-agent 19.4-45] renews when the moment that it planned has come, and not before', async () => {
    await using hub = await startDriverHub({ expirationSeconds: 3600, random: 0.999 });
    const stored = await join(hub);
    const planned = await hub.obtain(stored);
    if (planned.kind !== 'unchanged' || planned.next === undefined) throw new Error(planned.kind);
    await hub.clock.advance(planned.next.afterMs - 1000);
    expect(await hub.obtain(stored)).toEqual({ kind: 'unchanged', next: { afterMs: 1000, why } });
    await hub.clock.advance(1000);
    expect(hub.driver.evaluate(stored)).toMatchObject({ usable: true });
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
    expect(hub.driver.evaluate(stored)).toMatchObject({ usable: false, reason: 'Expired' });
    expect(await hub.obtain(stored)).toMatchObject({ kind: 'waiting' });
    const second = (await hub.requests()).find((name) => name !== first) ?? '';
    await hub.decide(second, 'Approved');
    const renewed = await until(hub, stored, 'obtained');
    if (renewed.kind !== 'obtained') throw new Error(renewed.kind);
    expect(renewed.credentials['tls.crt']).not.toBe(stored['tls.crt']);
    expect(hub.driver.evaluate(renewed.credentials)).toMatchObject({ usable: true });
  });

  it('[registration-agent 19.6-58] asks once for a certificate of its own name if another name is stored', async () => {
    await using hub = await startDriverHub();
    const stored = await join(hub);
    const renamed = hub.another({ agentName: 'a2' }).start(hub.connection);
    const before = await hub.requests();
    expect(await hub.obtain(stored, renamed)).toMatchObject({ kind: 'waiting' });
    expect(await hub.obtain(stored, renamed)).toMatchObject({ kind: 'waiting' });
    expect(await hub.requests()).toHaveLength(before.length + 1);
  });

  it('[registration-agent 19.2-21] does not use a certificate of another user', async () => {
    await using hub = await startDriverHub();
    const registration = { type: 'kubeClient', driver: 'csr', addonName: 'work', user: 'test', groups: [] } as const;
    const addon = hub.addon(registration).start(hub.connection);
    await hub.obtain({}, addon);
    await hub.decide((await hub.requests()).at(-1) ?? '', 'Approved');
    const outcome = await vi.waitFor(async () => {
      const result = await hub.obtain({}, addon);
      if (result.kind !== 'obtained') throw new Error('not yet');
      return result;
    });
    expect(new X509Certificate(outcome.credentials['tls.crt'] ?? '').subject).toContain('CN=test');
    expect(hub.driver.evaluate(outcome.credentials)).toMatchObject({ usable: false, reason: 'OtherIdentity' });
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
      checkAfterMs: 30_000,
    });
    expect(await hub.obtain()).toMatchObject({ kind: 'waiting', checkAfterMs: 30_000 });
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
    await vi.waitFor(async () => expect(await hub.obtain()).toMatchObject({ checkAfterMs: 30_000 }));
    if (!isEarly) await accept();
    await refused(2);
    // One more, and not one after the other.
    const second = (await hub.requests()).find((other) => other !== name) ?? '';
    await hub.decide(second, 'Denied');
    await vi.waitFor(async () => expect(await hub.obtain()).toMatchObject({ checkAfterMs: 60_000 }));
    await hub.obtain();
    expect(await hub.requests()).toHaveLength(2);
  });

  it('drops a pending key that is not valid, and begins again', async () => {
    await using hub = await startDriverHub();
    const obtain = hub.driver.start(hub.connection);
    const spoiled = await obtain({ 'pending.tls.key': 'x' });
    expect(spoiled).toMatchObject({ kind: 'failed', notes: { 'pending.tls.key': undefined } });
    expect(await notesOf(obtain({}))).toMatchObject({
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
    const obtain = hub.driver.start({ ...elsewhere.connection, hub: losing });
    const { notes } = await notesOf(obtain({}));
    expect(await obtain(notes)).toMatchObject({ kind: 'failed' });
    expect(await obtain(notes)).toMatchObject({ kind: 'waiting' });
    expect(await hub.requests()).toHaveLength(1);
  });

  it('logs the fingerprint of the key that it requests for, after a restart too', async () => {
    await using hub = await startDriverHub();
    await hub.obtain();
    const [name = ''] = await hub.requests();
    const { spec } = await hub.plane.client.resource(certificateSigningRequests).get(name);
    const fingerprint = (await readRequestedSubject(spec.request))?.keyFingerprint;
    const info = vi.fn();
    const restarted = hub.another({ log: { ...silentLogger, info } }).start(hub.connection);
    expect(await hub.obtain({}, restarted)).toMatchObject({ kind: 'waiting' });
    expect(info.mock.calls).toEqual([[expect.stringContaining('requested before'), { request: name, fingerprint }]]);
    await hub.plane.client.resource(certificateSigningRequests).delete(name);
    await vi.waitFor(async () => {
      await hub.obtain({}, restarted);
      expect(info).toHaveBeenLastCalledWith(
        'requested a certificate from the hub',
        expect.objectContaining({ fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }),
      );
    });
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

  it('[registration-agent 19.6-65] stops at ten undecided requests of its own', async () => {
    await using hub = await startDriverHub();
    for (let count = 0; count < 10; count += 1) {
      await hub.obtain();
      // The Secret with the key of the request was deleted.
      hub.notes['pending.tls.key'] = undefined;
      await vi.waitFor(async () => expect(await hub.requests()).toHaveLength(count + 1));
    }
    const halted = await hub.obtain();
    expect(halted.condition?.message).toBe('Stop creating csr since there are too many csr created already on hub');
    expect(halted.kind).toBe('waiting');
    const [name = '', ...others] = await hub.requests();
    expect(others).toHaveLength(9);
    await hub.decide(name, 'Denied');
    await vi.waitFor(async () => {
      await hub.obtain();
      expect(await hub.requests()).toHaveLength(11);
    });
  });

  /** Ten requests of another user for the name of the cluster. */
  async function forgeRequests(
    hub: DriverHub,
    annotations: Record<string, string> = {},
    other = hub.plane.clientOf({ name: 'other', groups: ['system:masters', 'system:authenticated'] }),
  ): Promise<void> {
    const request = await createCertificateRequest(createKey(), {
      user: 'system:open-cluster-management:c1:a1',
      groups: ['system:open-cluster-management:c1'],
      organizationUnits: [],
      dnsNames: [],
    });
    for (let index = 0; index < 10; index += 1) {
      await other.resource(certificateSigningRequests).create({
        metadata: { name: `c1-x${index}`, labels: { 'open-cluster-management.io/cluster-name': 'c1' }, annotations },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
        },
      });
    }
  }

  /** A hub that does not report as whom it is asked. */
  const withoutReview = (client: KubeClient): KubeClient => ({
    ...client,
    resource: (type) => {
      const handle = client.resource(type);
      const create = async () => {
        throw new KubeError('NotFound', 'the protocol does not carry this kind');
      };
      return type.kind === 'SelfSubjectReview' ? { ...handle, create } : handle;
    },
  });

  it.each(['another bootstrap user', 'the bootstrap user that all clusters share'])(
    'asks for its first certificate although %s labels ten requests with the name of its cluster',
    async (whose) => {
      await using hub = await startDriverHub();
      await forgeRequests(hub, {}, whose === 'another bootstrap user' ? undefined : hub.plane.client);
      expect((await hub.obtain()).condition).toBeUndefined();
      expect(await hub.requests()).toHaveLength(11);
    },
  );

  it('asks for its first certificate although others label ten requests, over a hub that does not report as whom it asks', async () => {
    await using hub = await startDriverHub();
    await forgeRequests(hub);
    const obtain = hub.driver.start({ ...hub.connection, hub: withoutReview(hub.plane.client) });
    expect((await hub.obtain({}, obtain)).condition).toBeUndefined();
    expect(await hub.requests()).toHaveLength(11);
  });

  it('renews although others label ten requests, over a hub that does not report as whom it asks', async () => {
    await using hub = await startDriverHub();
    const stored = await join(hub);
    await forgeRequests(hub, { 'open-cluster-management.io/csr-user': 'system:open-cluster-management:c1:a1' });
    const silent = withoutReview(hub.plane.client);
    const before = (await hub.requests()).length;
    const ended = new X509Certificate(stored['tls.crt'] ?? '').validTo;
    hub.clock.jump(Date.parse(ended) - hub.clock.now() - 60_000);
    const obtain = hub.driver.start({ ...hub.connection, hub: silent });
    expect(await hub.obtain(stored, obtain)).toMatchObject({ kind: 'unchanged' });
    await hub.clock.advance(30_000);
    expect((await hub.obtain(stored, obtain)).condition).toBeUndefined();
    expect(await hub.requests()).toHaveLength(before + 1);
  });

  it('[registration-agent 19.2-20, 19.2-22, 19.6-59] evaluates what is stored without asking the hub', async () => {
    await using hub = await startDriverHub();
    const stored = await join(hub);
    const evaluate = (changes: Record<string, string | undefined>) => {
      const merged = Object.entries({ ...stored, ...changes }).filter((entry): entry is [string, string] => !!entry[1]);
      return hub.driver.evaluate(Object.fromEntries(merged));
    };
    expect(evaluate({})).toMatchObject({ usable: true });
    expect(evaluate({ 'tls.key': undefined })).toMatchObject({ usable: false, reason: 'Missing' });
    expect(evaluate({ 'tls.crt': undefined })).toMatchObject({ usable: false, reason: 'Missing' });
    expect(evaluate({ 'tls.crt': 'garbage' })).toMatchObject({ usable: false, reason: 'Malformed' });
    expect(evaluate({ 'tls.key': createKey() })).toMatchObject({ usable: false, reason: 'Malformed' });
    const other = hub.another({ clusterName: 'c10' });
    expect(other.evaluate(stored)).toMatchObject({ usable: false, reason: 'OtherIdentity' });
  });

  it.each([
    [0, true],
    [1200, false],
    [3599, false],
    [3600, true],
    [7200, true],
  ])('[registration-agent 19.1-5] with an expiration of %i s is acceptable: %s', async (expirationSeconds, fine) => {
    const start = async () => {
      await using _hub = await startDriverHub({ expirationSeconds });
    };
    if (fine) await start();
    else await expect(start).rejects.toThrow('client certificate expiration seconds must greater or qual to 3600');
  });

  it('[registration-agent 19.6-63] asks for add-ons by their own names, signer and DNS name', async () => {
    await using hub = await startDriverHub();
    const registration = { type: 'kubeClient', driver: 'csr', addonName: 'work', user: '', groups: [] } as const;
    const addon = hub.addon(registration).start(hub.connection);
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
});
