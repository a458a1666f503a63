import type { ManagedCluster, ManagedClusterTaint } from '@flotilla/api-types';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { sameTaint, taintsFor } from './taint.policy.ts';

const unavailable = { key: 'cluster.open-cluster-management.io/unavailable', effect: 'NoSelect' } as const;
const unreachable = { key: 'cluster.open-cluster-management.io/unreachable', effect: 'NoSelect' } as const;
const own: ManagedClusterTaint[] = [
  { key: 'gpu', value: 'yes', effect: 'NoSelectIfNew', timeAdded: '2025-01-01T00:00:00Z' },
  { key: 'edge', effect: 'PreferNoSelect' },
];

const cluster = (
  available: 'True' | 'False' | 'Unknown' | undefined,
  taints: ManagedClusterTaint[],
): ManagedCluster => {
  const condition = {
    type: 'ManagedClusterConditionAvailable',
    reason: 'x',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return newCluster('c1', {
    spec: { taints },
    status: { conditions: available ? [{ ...condition, status: available }] : [] },
  });
};

describe('taints by availability', () => {
  it.each([
    ['True', [], undefined],
    ['True', [unreachable, ...own, unavailable], own],
    ['False', [], [unavailable]],
    ['False', [unreachable], [unavailable]],
    ['False', [unavailable], undefined],
    ['Unknown', [], [unreachable]],
    ['Unknown', [unavailable], [unreachable]],
    ['Unknown', [{ ...unreachable, timeAdded: '2026-01-01T00:00:00Z' }], undefined],
    [undefined, [], [unreachable]],
  ] as const)('[registration-hub 89] Available %s on %j', (available, before, after) => {
    expect(taintsFor(cluster(available, [...before]))).toEqual(after);
  });

  it('[registration-hub 91] keeps those of users in order in every transition', () => {
    for (const available of ['True', 'False', 'Unknown', undefined] as const) {
      const next = taintsFor(cluster(available, [...own, unavailable, unreachable])) ?? [];
      expect(next.filter(({ key }) => !key.startsWith('cluster.open'))).toEqual(own);
    }
  });

  it('[registration-hub 146] compares taints without their times', () => {
    expect(sameTaint({ ...unavailable, timeAdded: '2026-01-01T00:00:00Z' }, unavailable)).toBe(true);
    expect(sameTaint({ ...unavailable, value: 'x' }, unavailable)).toBe(false);
    expect(sameTaint({ ...unavailable, effect: 'PreferNoSelect' }, unavailable)).toBe(false);
  });
});

describe('the taint controller', () => {
  let hub: RunningHub;
  afterEach(() => hub.stop());

  it('[registration-hub 90] follows a cluster from its joining to its silence', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    const taints = async () => (await clusters.get('c1')).spec?.taints;
    expect(await taints()).toEqual([unreachable]);
    const report = async (status: 'True' | 'False') => {
      const conditions = [
        ...((await clusters.get('c1')).status?.conditions?.filter(({ type }) => !type.endsWith('Available')) ?? []),
        ...(cluster(status, []).status?.conditions ?? []),
      ];
      await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
      await hub.quiet();
    };
    await report('True');
    expect(await taints()).toEqual([]);
    await report('False');
    expect(await taints()).toEqual([unavailable]);
    await hub.pass(300_000);
    expect(await taints()).toEqual([unreachable]);
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });
});
