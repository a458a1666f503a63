import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { findCondition, isConditionTrue, keyOf, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recording, watching } from '../registration/watching.ts';
import { type GuideHub, patience, startGuideHub } from './guide-hub.ts';

const cluster = 'cluster1';

/** Creates works one after the other, until it is stopped. */
function startLoad({ servers }: GuideHub): { readonly created: readonly string[]; stop(): Promise<void> } {
  const created: string[] = [];
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const name = `load-${created.length}`;
      const manifest = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
        data: { name },
      };
      await servers.hub.client
        .resource(manifestWorks)
        .create({ metadata: { name, namespace: cluster }, spec: { workload: { manifests: [manifest] } } });
      created.push(name);
      // The rate of the load; nothing waits for this time to pass.
      await new Promise<void>((resolve) => void realClock.schedule(500, resolve));
    }
  })();
  // What it failed with is thrown by `stop`.
  running.catch(() => stopping.abort());
  return {
    created,
    stop() {
      stopping.abort();
      return running;
    },
  };
}

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: Parameters<typeof findCondition>[0] };
}

/** The changes that took away a condition which was true. */
function flips<T extends WithConditions>({ changes }: Recording<T>, type: string, trueBefore: string[] = []): string[] {
  const wasTrue = new Set(trueBefore);
  return changes.flatMap(({ type: change, object }) => {
    const key = keyOf(object);
    if (change !== 'deleted' && isConditionTrue(object.status?.conditions, type)) wasTrue.add(key);
    else if (wasTrue.has(key))
      return [`${change} ${key}: ${JSON.stringify(findCondition(object.status?.conditions, type))}`];
    return [];
  });
}

/** The changes of objects of works after they were created. */
const changedAgain = ({ changes }: Recording<KubeObject>): string[] => {
  const uids = new Map<string, string | undefined>();
  return changes.flatMap(({ type, object }) => {
    const key = keyOf(object);
    const isFirst = type === 'added' && !uids.has(key);
    uids.set(key, object.metadata?.uid);
    return isFirst ? [] : [`${type} ${key} at ${object.metadata?.resourceVersion}`];
  });
};

describe('an upgrade under load', { timeout: 400_000 }, () => {
  let hub: GuideHub;
  beforeAll(async () => {
    hub = await startGuideHub();
  }, 240_000);
  afterAll(() => hub?.[Symbol.asyncDispose]());

  it('and the way back apply no work again, and nothing becomes unavailable', async () => {
    await hub.run(`${await hub.joinCommand(cluster)} --context managed`);
    await hub.accept(cluster);
    using onHub = watching(hub.servers.hub.client);
    using onManaged = watching(hub.servers.managed.client);
    const isLoad = ({ metadata }: KubeObject) => metadata?.name?.startsWith('load-') === true;
    using works = await onHub.record(manifestWorks, isLoad);
    using joined = await onHub.record(managedClusters);
    using applied = await onManaged.record(configMaps, isLoad);
    const load = startLoad(hub);
    const isAvailable = async (name: string) => {
      const work = await hub.servers.hub.client.resource(manifestWorks).find(`${cluster}/${name}`);
      return isConditionTrue(work?.status?.conditions, 'Available');
    };
    /** Works that were created from now on get through. */
    const worksGoOn = async () => {
      const next = `load-${load.created.length}`;
      await expect.poll(() => isAvailable(next), patience).toBe(true);
    };
    const images = async () => [
      await hub.run('kubectl -n open-cluster-management-hub get deployment -o yaml --context hub'),
      await hub.run('kubectl -n open-cluster-management-agent get deployment -o yaml --context managed'),
    ];
    try {
      await worksGoOn();
      const [hubBefore, agentBefore] = await images();
      for (const flags of ['--bundle-version latest', '--force']) {
        await hub.run(`flotilla upgrade clustermanager ${flags} --wait --context hub`);
        await worksGoOn();
        await hub.run(`flotilla upgrade klusterlet ${flags} --wait --context managed`);
        await worksGoOn();
        const tags = (text = '') => new Set(text.match(/(?<=image: \S+:)\S+/g));
        const [hubNow, agentNow] = await images();
        const wanted =
          flags === '--force' ? [tags(hubBefore), tags(agentBefore)] : [new Set(['latest']), new Set(['latest'])];
        expect([tags(hubNow), tags(agentNow)]).toEqual(wanted);
      }
    } finally {
      await load.stop();
    }
    for (const name of load.created) await expect.poll(() => isAvailable(name), patience).toBe(true);
    expect(applied.changes.length).toBeGreaterThanOrEqual(load.created.length);
    expect(changedAgain(applied)).toEqual([]);
    expect([flips(works, 'Applied'), flips(works, 'Available')]).toEqual([[], []]);
    expect(flips(joined, 'ManagedClusterConditionAvailable', [cluster])).toEqual([]);
  });
});
