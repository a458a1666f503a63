import { createInformers, createKubeClient, KubeError, silentLogger } from '@flotilla/kube';
import { FakeApi, FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it, vi } from 'vitest';
import type { AgentDriver, DriverConnection, ObtainOutcome, StoredCredentials } from '../../contract/index.ts';
import { keepCredentials } from './credential-loop.ts';

/** A driver that answers what it is told, and a store that fails as often as it is told. */
function play(outcomes: ObtainOutcome[], writeFailures = 0) {
  const clock = new FakeClock();
  const end = new AbortController();
  const saved: StoredCredentials = {};
  const conditions: string[] = [];
  let connection: DriverConnection | undefined;
  let failures = writeFailures;
  const obtain = vi.fn(async (): Promise<ObtainOutcome> => outcomes.shift() ?? { kind: 'unchanged' });
  const driver: AgentDriver = {
    judge: () => ({ usable: true }),
    kubeconfigUser: () => undefined,
    access: () => ({}),
    connect: (given) => {
      connection = given;
    },
    obtain,
    decorate: (cluster) => cluster,
    checkConnection: async () => ({ usable: true }),
  };
  const write = vi.fn(async (values: StoredCredentials) => {
    if (failures-- > 0) throw new KubeError('Unavailable', 'not now');
    Object.assign(saved, values);
  });
  const hub = createKubeClient({ transport: new FakeApi(clock), clock });
  const running = keepCredentials({
    driver,
    connection: { hub, informers: createInformers({ client: hub, clock }), signal: end.signal },
    store: { read: async () => ({ ...saved }), write, delete: async () => {} },
    additional: { 'cluster-name': 'c1' },
    onCondition: async ({ status }) => {
      conditions.push(status);
    },
    clock,
    log: silentLogger,
    random: () => 0,
  });
  return { clock, obtain, write, saved, conditions, wake: () => connection?.wake(), end, running };
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

  it('[registration-agent 19.5-51] writes nothing when there is nothing new, and looks again when it is due or woken', async () => {
    const scene = play([{ kind: 'unchanged', nextCheckMs: 60_000 }]);
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
});
