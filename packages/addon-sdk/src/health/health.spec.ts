import { describe, expect, it } from 'vitest';
import { type HealthProber, health, type ProbeResult } from '../definition/health.ts';
import { configMap, deployment } from '../fixtures/objects.ts';
import { enableProbe, stopAfterEach } from '../fixtures/one-addon.ts';
import { checkWorkloads } from './workload-check.ts';

stopAfterEach();

const work = 'addon-probe-deploy-0';
const start = (prober: HealthProber | undefined, manifests = [deployment('a'), deployment('b')]) =>
  enableProbe(manifests, { health: prober });

describe('the health of an add-on', () => {
  it.each<[string, HealthProber | undefined, string | undefined]>([
    ['is left as it is without a prober', undefined, 'Lease'],
    ['is that of its lease', health.lease(), 'Lease'],
    ['is set by its own code', health.none(), 'Customized'],
    ['is that of its works', health.work(), 'Customized'],
    ['is that of its workloads', health.workloads(), 'Customized'],
  ])('[addons 97] %s', async (_, prober, mode) => {
    const { addon } = await start(prober);
    // The API server fills in Lease.
    expect((await addon('c1', 'probe'))?.status?.healthCheck?.mode ?? 'Lease').toBe(mode);
  });

  it('[addons 98] by works without more to look at is that they are applied', async () => {
    const { condition } = await start(health.work());
    expect(await condition('c1', 'probe', 'Available')).toBe('True WorkApplied: Addon manifestWork is applied');
  });

  it('[addons 99] by workloads is unknown until their agent reports', async () => {
    const { condition, report, rerender } = await start(health.workloads());
    const available = () => condition('c1', 'probe', 'Available');
    expect(await available()).toBeUndefined();
    await report('c1', work, { available: 'False', message: 'pods are missing' });
    expect(await available()).toBe('False WorkNotApplied: pods are missing');
    await report('c1', work);
    expect(await available()).toBe('Unknown NoProbeResult: Probe results are not returned');
    await rerender([]);
    expect(await available()).toBe('Unknown WorkNotFound: Addon manifestWork is not found');
    await rerender([deployment('a')]);
    expect(await available()).toBe('Unknown WorkNotApplied: Addon manifestWork is not applied yet');
  });

  it('[addons 100] by wildcard fields asks a check about all that match', async () => {
    const seen: string[][] = [];
    const prober = health.work({
      fields: [{ group: 'apps', resource: 'deployments', namespace: '*', name: '*' }],
      check: (results) => {
        seen.push(results.map(({ name }) => name));
        return results.every(({ values }) => values.some(({ fieldValue }) => fieldValue.integer === 1))
          ? undefined
          : 'not all are ready';
      },
    });
    const { condition, report } = await start(prober);
    await report('c1', work, {
      feedback: { 'deployments default/a': { ReadyReplicas: 1 }, 'deployments default/b': { ReadyReplicas: 0 } },
    });
    expect(await condition('c1', 'probe', 'Available')).toBe(
      'False ProbeUnavailable: Probe addon unavailable with err not all are ready',
    );
    await report('c1', work, {
      feedback: { 'deployments default/a': { ReadyReplicas: 1 }, 'deployments default/b': { ReadyReplicas: 1 } },
    });
    expect(await condition('c1', 'probe', 'Available')).toBe('True ProbeAvailable: probe add-on is available.');
    expect(seen.at(-1)).toEqual(['a', 'b']);
  });

  it('[addons 101] is checked with what is reported, although not all is', async () => {
    const field = (name: string) => ({ group: 'apps', resource: 'deployments', namespace: 'default', name });
    const check = (results: readonly ProbeResult[]) => {
      throw new Error(`saw ${results.map(({ name }) => name).join()}`);
    };
    const { condition, report } = await start(health.work({ fields: [field('a'), field('b')], check }));
    await report('c1', work, { feedback: { 'deployments default/b': { ReadyReplicas: 1 } } });
    expect(await condition('c1', 'probe', 'Available')).toBe(
      'False ProbeUnavailable: Probe addon unavailable with err saw b',
    );
  });

  it('does not count a Deployment without replicas', async () => {
    const { condition, report } = await start(health.workloads(), [deployment('a', { replicas: 0 }), configMap('c')]);
    await report('c1', work);
    expect(await condition('c1', 'probe', 'Available')).toBe('True ProbeAvailable: probe add-on is available.');
  });

  it('[addons 103] is left to the hub while the cluster cannot be reached', async () => {
    const { condition, report, hub, quiet } = await start(health.workloads());
    const setCluster = async (status: string) => {
      const conditions = [
        {
          type: 'ManagedClusterConditionAvailable',
          status,
          reason: 'x',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ];
      await hub.clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
      await quiet();
    };
    await setCluster('Unknown');
    await report('c1', work);
    expect(await condition('c1', 'probe', 'Available')).toBeUndefined();
    await setCluster('True');
    expect(await condition('c1', 'probe', 'Available')).toContain('Unknown NoProbeResult');
  });
});

describe('[addons 102] a workload', () => {
  const result = (resource: string, values: Record<string, number>): ProbeResult => ({
    ...{ group: 'apps', resource, namespace: 'ns', name: 'w' },
    values: Object.entries(values).map(([name, integer]) => ({ name, fieldValue: { type: 'Integer', integer } })),
  });
  it.each<[string, ProbeResult, string | undefined]>([
    [
      'Deployment with none ready',
      result('deployments', { Replicas: 2, ReadyReplicas: 0 }),
      'desiredNumberReplicas is 2 but readyReplica is 0 for deployments ns/w',
    ],
    ['Deployment with one ready', result('deployments', { Replicas: 2, ReadyReplicas: 1 }), undefined],
    ['Deployment that wants none', result('deployments', { Replicas: 0 }), undefined],
    ['Deployment without ready replicas', result('deployments', { Replicas: 2 }), 'readyReplica is not probed'],
    ['Deployment without replicas', result('deployments', { ReadyReplicas: 2 }), 'desiredNumberReplicas is not probed'],
    ['DaemonSet with all ready', result('daemonsets', { DesiredNumberScheduled: 3, NumberReady: 3 }), undefined],
    [
      'DaemonSet with some ready',
      result('daemonsets', { DesiredNumberScheduled: 3, NumberReady: 2 }),
      'desiredNumberReplicas is 3 but readyReplica is 2 for daemonsets ns/w',
    ],
    ['kind without a rule', result('statefulsets', { Replicas: 1 }), undefined],
  ])('%s', (_, probed, problem) => {
    expect(checkWorkloads([probed])).toBe(problem);
  });
});
