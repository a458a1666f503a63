import { type Cluster, startCluster } from '@flotilla/envtest';
import { runAsLeader } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// kube-controller-manager is the Go process: it elects its leader by client-go.
const key = 'kube-system/kube-controller-manager';
const pollOptions = { timeout: 20_000, interval: 50 };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    controllerManagerFlags: {
      'leader-elect': 'true',
      'leader-elect-lease-duration': '4s',
      'leader-elect-renew-deadline': '3s',
      'leader-elect-retry-period': '500ms',
    },
  });
});
afterAll(() => cluster?.stop());

const lease = async () => (await cluster.client.resource(leases).find(key))?.spec;

function candidate() {
  const stop = new AbortController();
  const state = { leading: false };
  const ended = runAsLeader({
    leases: cluster.client.resource(leases),
    key,
    identity: 'flotilla',
    leaseDurationMs: 4000,
    renewDeadlineMs: 3000,
    retryPeriodMs: 500,
    signal: stop.signal,
    async onStartedLeading(signal) {
      state.leading = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      state.leading = false;
    },
  });
  return { state, stop, ended };
}

it('excludes, and is excluded by, a Go process', async () => {
  await vi.waitFor(async () => expect((await lease())?.holderIdentity).toMatch(/_/), pollOptions);
  const goLed = await lease();

  // The Go process leads and renews: we wait, longer than the lease lasts.
  const us = candidate();
  const renewals = new Set<string | undefined>();
  await vi.waitFor(async () => {
    renewals.add((await lease())?.renewTime);
    expect(renewals.size).toBeGreaterThan(10);
  }, pollOptions);
  expect(us.state.leading).toBe(false);

  // It freezes: we lead once its lease has expired, and when it wakes up it sees that and goes.
  cluster.controllerManager.pause();
  await vi.waitFor(() => expect(us.state.leading).toBe(true), pollOptions);
  expect(await lease()).toMatchObject({
    holderIdentity: 'flotilla',
    leaseDurationSeconds: 4,
    leaseTransitions: (goLed?.leaseTransitions ?? 0) + 1,
  });
  cluster.controllerManager.resume();
  await vi.waitFor(() => expect(cluster.controllerManager.state).toBe('stopped'), pollOptions);
  expect(us.state.leading).toBe(true);

  // It comes back: now it waits for us, longer than the lease lasts, and reads our record without complaint.
  await cluster.controllerManager.start();
  const ours = new Set<string | undefined>();
  await vi.waitFor(async () => {
    const spec = await lease();
    expect(spec?.holderIdentity).toBe('flotilla');
    ours.add(spec?.renewTime);
    expect(ours.size).toBeGreaterThan(10);
  }, pollOptions);

  // We hand it back: it leads within its retry period rather than after the lease.
  const releasedAt = performance.now();
  us.stop.abort();
  expect(await us.ended).toBe('canceled');
  await vi.waitFor(async () => expect((await lease())?.holderIdentity).toMatch(/_/), pollOptions);
  expect(performance.now() - releasedAt).toBeLessThan(3000);
  expect((await lease())?.leaseTransitions).toBe((goLed?.leaseTransitions ?? 0) + 2);
});
