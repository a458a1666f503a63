import { createInformers, createKubeClient, KubeError, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it, vi } from 'vitest';
import type { CredentialIssuer, IssuerContext, ObtainOutcome, StoredCredentials } from '../../contract/index.ts';
import { keepCredentials } from './credential-loop.ts';
import type { StoredChanges } from './credential-store.ts';

/** An issuer that answers what it is given, and a store that fails as often as it is given. */
function play(
  outcomes: ObtainOutcome[],
  writeFailures = 0,
  options: { startEmpty?: boolean; storeNotes?: boolean; isExclusive?: boolean; onStored?: () => void } = {},
  reportFailures = 0,
) {
  const clock = new FakeClock();
  const end = new AbortController();
  const saved: Record<string, string> = {};
  const conditions: string[] = [];
  let connection: IssuerContext | undefined;
  let failures = writeFailures;
  let failedReports = 0;
  const obtain = vi.fn(
    async (_stored: StoredCredentials): Promise<ObtainOutcome> => outcomes.shift() ?? { kind: 'unchanged' },
  );
  const issuer: CredentialIssuer = {
    evaluate: () => ({ usable: true }),
    endpointOf: ({ server }) => (server === undefined ? undefined : { name: 'hub', server }),
    describe: () => ({}),
    start(given) {
      connection = given;
      return obtain;
    },
  };
  const write = vi.fn(async (values: StoredChanges) => {
    if (failures-- > 0) throw new KubeError('Unavailable', 'not now');
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete saved[name];
      else saved[name] = value;
    }
  });
  const claim = vi.fn(async () => {});
  const hub = createKubeClient({ transport: new FakeApi(clock), clock });
  const running = keepCredentials({
    issuer,
    connection: { hub, informers: createInformers({ client: hub, clock }), signal: end.signal },
    store: { read: async () => ({ ...saved }), write, claim, delete: async () => {} },
    endpoint: () => ({ name: 'hub', server: 'https://hub' }),
    names: { 'cluster-name': 'c1' },
    ...options,
    onCondition: async ({ status }) => {
      if (failedReports++ < reportFailures) throw new KubeError('Conflict', 'another was faster');
      conditions.push(status);
    },
    clock,
    log: silentLogger,
    random: () => 0,
  });
  return { clock, obtain, write, claim, saved, conditions, wake: () => connection?.wake(), end, running };
}

const obtained: ObtainOutcome = {
  kind: 'obtained',
  credentials: { 'tls.crt': 'C', 'tls.key': 'K' },
  condition: { type: 'ClusterCertificateRotated', status: 'True', reason: 'R', message: 'm' },
};

describe('the keeping of credentials', () => {
  it('[registration-agent 19.5-49, 19.5-52] stores what was obtained with what belongs to it, then reports', async () => {
    const scene = play([obtained]);
    await scene.clock.settle();
    expect(scene.saved).toEqual({ 'cluster-name': 'c1', 'tls.crt': 'C', 'tls.key': 'K' });
    expect(scene.conditions).toEqual(['True']);
    scene.end.abort();
    await scene.running;
  });

  it.each([
    ['of an earlier hub is removed', 'https://earlier', {}],
    ['of the same hub stays', 'https://hub', { 'announced-server': 'https://other' }],
  ])('replaces the credentials: the address that was announced %s', async (_, server, announced) => {
    const scene = play([obtained]);
    Object.assign(scene.saved, { server, 'announced-server': 'https://other' });
    await scene.clock.settle();
    expect(scene.saved).toEqual({ server, 'cluster-name': 'c1', 'tls.crt': 'C', 'tls.key': 'K', ...announced });
    scene.end.abort();
    await scene.running;
  });

  it('[registration-agent 19.5-51] writes nothing when there is nothing new, and checks again when it is due or woken', async () => {
    const scene = play([{ kind: 'unchanged', next: { afterMs: 60_000, why: 'the test' } }]);
    await scene.clock.advance(59_999);
    expect(scene.obtain).toHaveBeenCalledTimes(1);
    await scene.clock.advance(1);
    expect(scene.obtain).toHaveBeenCalledTimes(2);
    scene.wake();
    await scene.clock.settle();
    expect(scene.obtain).toHaveBeenCalledTimes(3);
    expect(scene.write).not.toHaveBeenCalled();
    scene.end.abort();
    await scene.running;
    expect(scene.clock.pending).toBe(0);
  });

  it('leaves good credentials as they are when their Secret cannot be marked, and tries that with the next check', async () => {
    const check: ObtainOutcome = { kind: 'unchanged', next: { afterMs: 60_000, why: 'the test' } };
    const scene = play([check, check]);
    scene.claim.mockRejectedValue(new KubeError('Forbidden', 'no right to update secrets'));
    await scene.clock.advance(59_999);
    expect(scene.obtain).toHaveBeenCalledTimes(1);
    await scene.clock.advance(1);
    expect(scene.claim).toHaveBeenCalledTimes(2);
    scene.end.abort();
    await scene.running;
  });

  it('[registration-agent 19.5-53] saves again after a failed save, without asking the driver again', async () => {
    const scene = play([obtained], 2);
    await scene.clock.advance(5000);
    expect(scene.write).toHaveBeenCalledTimes(3);
    expect(scene.saved['tls.crt']).toBe('C');
    // The second call is the one after the save.
    expect(scene.obtain).toHaveBeenCalledTimes(2);
    expect(scene.conditions).toEqual(['True']);
    scene.end.abort();
    await scene.running;
  });

  it('backs off after failures', async () => {
    const failed: ObtainOutcome = { kind: 'failed', error: new KubeError('Unavailable', 'gone') };
    const scene = play([failed, failed, failed]);
    await scene.clock.advance(249);
    expect(scene.obtain).toHaveBeenCalledTimes(1);
    await scene.clock.advance(250 + 500 + 1000);
    expect(scene.obtain).toHaveBeenCalledTimes(4);
    scene.end.abort();
    await scene.running;
  });

  const note: ObtainOutcome = { kind: 'waiting', why: 'w', notes: { 'pending.tls.key': 'P' }, checkAfterMs: 0 };
  const waiting: ObtainOutcome = { kind: 'waiting', why: 'w' };

  it('keeps the notes of a driver in the Secret before it is asked again, and takes them out with the credentials', async () => {
    const scene = play([note, waiting, obtained], 0, { startEmpty: true, storeNotes: true });
    scene.saved['tls.crt'] = 'of another hub';
    await scene.clock.settle();
    expect(scene.obtain.mock.lastCall?.[0]).toEqual({ 'pending.tls.key': 'P' });
    expect(scene.saved).toEqual({ 'tls.crt': 'of another hub', 'pending.tls.key': 'P' });
    scene.wake();
    await scene.clock.settle();
    expect(scene.saved).toEqual({ 'cluster-name': 'c1', 'tls.crt': 'C', 'tls.key': 'K' });
    scene.end.abort();
    await scene.running;
  });

  it('does not let a driver go on with a note that could not be stored', async () => {
    const scene = play([note, waiting], 1, { storeNotes: true });
    await scene.clock.advance(5000);
    expect(scene.obtain.mock.calls.map(([stored]) => stored)).toEqual([{}, {}]);
    scene.end.abort();
    await scene.running;
  });

  it('keeps notes to itself where the Secret must not exist before there are credentials', async () => {
    const forget: ObtainOutcome = {
      kind: 'waiting',
      why: 'w',
      notes: { 'pending.tls.key': undefined },
      checkAfterMs: 0,
    };
    const scene = play([note, forget, waiting]);
    await scene.clock.settle();
    expect(scene.obtain.mock.calls.map(([stored]) => stored)).toEqual([{}, { 'pending.tls.key': 'P' }, {}]);
    expect(scene.write).not.toHaveBeenCalled();
    scene.end.abort();
    await scene.running;
  });

  it('removes what an earlier auth type stored, where the Secret is its own', async () => {
    const scene = play([obtained], 0, { isExclusive: true });
    scene.saved.token = 'T';
    await scene.clock.settle();
    expect(scene.saved).toEqual({ 'cluster-name': 'c1', 'tls.crt': 'C', 'tls.key': 'K' });
    scene.end.abort();
    await scene.running;
  });

  it.each<[string, ObtainOutcome]>([
    ['unchanged, to be checked at once', { kind: 'unchanged', next: { afterMs: 0, why: 'w' } }],
    ['unchanged, to be checked in the past', { kind: 'unchanged', next: { afterMs: -1, why: 'w' } }],
    ['unchanged, to be checked at no time', { kind: 'unchanged', next: { afterMs: Number.NaN, why: 'w' } }],
    ['waiting with a check in the past', { kind: 'waiting', why: 'w', checkAfterMs: -1 }],
    ['waiting, to be called at once', { kind: 'waiting', why: 'w', checkAfterMs: 0 }],
    ['new credentials', obtained],
  ])('asks a driver at most a few times a second that always answers: %s', async (_, outcome) => {
    const scene = play(Array.from({ length: 1000 }, () => outcome));
    await scene.clock.advance(10_000);
    expect(scene.obtain.mock.calls.length).toBeGreaterThan(5);
    expect(scene.obtain.mock.calls.length).toBeLessThan(100);
    scene.end.abort();
    await scene.running;
  });

  it('reports again what could not be reported, without another request', async () => {
    const scene = play([obtained], 0, {}, 2);
    await scene.clock.advance(60_000);
    expect(scene.conditions).toEqual(['True']);
    expect(scene.write).toHaveBeenCalledTimes(1);
    await scene.clock.advance(60_000);
    expect(scene.conditions).toEqual(['True']);
    scene.end.abort();
    await scene.running;
  });

  it('stores what was obtained when the connection ends meanwhile, and reports it to nobody', async () => {
    const onStored = vi.fn();
    const scene = play([obtained], 0, { onStored });
    scene.write.mockImplementationOnce(async (values) => {
      Object.assign(scene.saved, values);
      scene.end.abort();
    });
    await scene.running;
    expect(scene.saved).toMatchObject({ 'tls.crt': 'C' });
    expect(onStored).not.toHaveBeenCalled();
  });
});
