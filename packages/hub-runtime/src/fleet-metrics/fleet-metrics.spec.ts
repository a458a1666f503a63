import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { realClock, silentLogger } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { Metrics } from '@flotilla/process';
import { describe, expect, it } from 'vitest';
import { clusterState, summary, workState } from './fleet.policy.ts';
import { fleetMetrics } from './fleet-metrics.ts';

const at = '2026-01-01T00:00:00Z';
const condition = (type: string, status: 'True' | 'False', observedGeneration = 1) => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: at,
  observedGeneration,
});

describe('the state of a work', () => {
  it.each([
    ['in_sync', 1, [condition('Applied', 'True'), condition('Available', 'True')]],
    ['not_applied', 1, [condition('Applied', 'False'), condition('Available', 'True')]],
    ['not_available', 1, [condition('Applied', 'True'), condition('Available', 'False')]],
    ['pending', 2, [condition('Applied', 'True'), condition('Available', 'True')]],
    ['pending', 1, []],
  ])('is %s', (state, generation, conditions) => {
    const metadata = { name: 'w', namespace: 'c', generation, creationTimestamp: at };
    expect(workState({ metadata, status: { conditions } }).state).toBe(state);
  });
});

it('counts states, and says for how long the oldest is not in sync', () => {
  const waiting = clusterState({ metadata: { name: 'c', creationTimestamp: at }, spec: { hubAcceptsClient: false } });
  const { counts, oldest } = summary([waiting, { state: 'available' }], Date.parse(at) + 60_000);
  expect([Object.fromEntries(counts), oldest]).toEqual([{ pending: 1, available: 1 }, 60]);
  expect(summary([{ state: 'available' }], 0).oldest).toBe(0);
});

it('is served from the first scrape on, and follows the fleet', async () => {
  await using plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  const { client } = plane;
  await client.resource(namespaces).create({ metadata: { name: 'c1' } });
  await client.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: false } });
  await client.resource(manifestWorks).create({ metadata: { name: 'w', namespace: 'c1' }, spec: {} });
  const metrics = new Metrics({ processMetrics: false });
  using _ = fleetMetrics(metrics, { client, clock: realClock, log: silentLogger });
  const body = async () => (await metrics.render()).body;
  await expect.poll(body).toContain('flotilla_fleet_clusters{state="pending"} 1');
  await expect.poll(body).toContain('flotilla_fleet_works{state="pending"} 1');
  await expect.poll(body).toContain('flotilla_fleet_oldest_pending_seconds{kind="addons"} 0');
  await client.resource(managedClusters).delete('c1');
  await expect.poll(body).not.toContain('flotilla_fleet_clusters{state="pending"}');
});
