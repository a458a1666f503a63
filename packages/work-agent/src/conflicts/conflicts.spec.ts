import { manifestWorks } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { job } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';
import type { Manifest } from '../manifest.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  await world.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const messageOf = async (name: string, type = 'Applied') =>
  (await world.work(name))?.status?.resourceStatus?.manifests?.[0]?.conditions.find((each) => each.type === type)
    ?.message;
const creations = () => world.takeRequests('spoke').filter((request) => request.startsWith('POST')).length;

describe('a writer that deletes an object again and again', () => {
  beforeEach(async () => {
    await world.createWork('w', [configMap('cm', { a: '1' })]);
    world.takeRequests();
    for (let deletion = 0; deletion < 50; deletion += 1) await world.remove(configMap('cm')).catch(() => undefined);
  });

  it('is named after five times, and left alone', async () => {
    expect(creations()).toBe(5);
    expect(await messageOf('w')).toBe(
      'Failed to apply manifest: configmaps default/cm is deleted each time it is applied, will try again in 5m0s',
    );
  });

  it('is tried again after five minutes, and when the hub changes the manifest', async () => {
    creations();
    await world.advance(300_000);
    expect(creations()).toBe(1);
    await world.remove(configMap('cm'));
    expect(creations()).toBe(1);
    await world.remove(configMap('cm'));
    expect(creations()).toBe(0);
    await world.updateManifests('w', [configMap('cm', { a: '2' })]);
    expect(creations()).toBe(1);
    expect(ofManifests(await world.work('w'), 'Applied')).toEqual(['True']);
  });
});

describe('a Job that is deleted after it has finished', () => {
  const short: Manifest = {
    ...job('migration'),
    spec: { ...(job('migration').spec as object), ttlSecondsAfterFinished: 0 },
  };

  const end = async (type: 'Complete' | 'Failed') => {
    const jobs = await world.spoke.client.dynamic({ apiVersion: 'batch/v1', kind: 'Job' });
    const time = new Date(world.clock.now()).toISOString();
    const conditions = [
      ...(type === 'Complete'
        ? [{ type: 'SuccessCriteriaMet', status: 'True' }]
        : [{ type: 'FailureTarget', status: 'True' }]),
      { type, status: 'True' },
    ];
    const status = { startTime: time, ...(type === 'Complete' && { completionTime: time, succeeded: 1 }), conditions };
    await jobs.status.patch('default/migration', { type: 'merge', body: { status } });
    await world.quiet();
    await world.remove(short);
  };

  it.each(['Complete', 'Failed'] as const)('is not run again when it ended as %s', async (type) => {
    await world.createWork('w', [short]);
    await end(type);
    await world.advance(3_600_000);
    expect(await world.object(short)).toBeUndefined();
    const work = await world.work('w');
    expect(ofManifests(work, 'Applied')).toEqual(['True']);
    expect(ofManifests(work, 'Available')).toEqual(['True']);
    expect(await messageOf('w', 'Available')).toMatch(
      /^The Job finished and was deleted after its time to live; digest of its manifest: \S{28}$/,
    );
    expect((await world.appliedWork('w'))?.status?.appliedResources).toEqual([]);
  });

  it('is not run again after a restart of the agent', async () => {
    await world.createWork('w', [short, configMap('beside')]);
    await end('Complete');
    await world.start();
    await world.advance(3_600_000);
    expect(await world.object(short)).toBeUndefined();
    await world.updateManifests('w', [short, configMap('beside', { a: '2' })]);
    await world.start();
    expect(await world.object(short)).toBeUndefined();
    expect(ofManifests(await world.work('w'), 'Available')).toEqual(['True', 'True']);
  });

  it('is not run again when another part of the work changed while the agent was down', async () => {
    await world.createWork('w', [short, configMap('beside')]);
    await end('Complete');
    await world.stop();
    await world.updateManifests('w', [short, configMap('beside', { a: '2' })]);
    await world.start();
    await world.advance(1_000);
    expect(await world.object(short)).toBeUndefined();
    expect(ofManifests(await world.work('w'), 'Available')).toEqual(['True', 'True']);
  });

  /** Reports the Job as earlier agents did, without the digest of its manifest. */
  const reportAsEarlier = async () => {
    const manifests = (await world.work('w'))?.status?.resourceStatus?.manifests?.map((manifest) => ({
      ...manifest,
      conditions: manifest.conditions.map((condition) => ({
        ...condition,
        message: condition.message.replace(/; digest of its manifest: \S+$/, ''),
      })),
    }));
    const body = { status: { resourceStatus: { manifests } } };
    const key = keyOf((await world.work('w')) ?? {});
    await world.hub.client.resource(manifestWorks).status.patch(key, { type: 'merge', body });
    expect(await messageOf('w', 'Available')).toBe('The Job finished and was deleted after its time to live');
  };

  it('is not run again after an upgrade from an agent that reported no digest, and the digest is reported', async () => {
    await world.createWork('w', [short]);
    await end('Complete');
    await world.stop();
    await reportAsEarlier();
    await world.start();
    await world.advance(1_000);
    expect(await world.object(short)).toBeUndefined();
    expect(await messageOf('w', 'Available')).toMatch(/; digest of its manifest: \S{28}$/);
  });

  it('is run again after such an upgrade when the work changed meanwhile', async () => {
    await world.createWork('w', [short]);
    await end('Complete');
    await world.stop();
    await reportAsEarlier();
    await world.updateManifests('w', [{ ...short, metadata: { ...short.metadata, labels: { run: '2' } } }]);
    await world.start();
    expect(await world.object(short)).toBeDefined();
  });

  it('is run again when its manifest changed while the agent was down', async () => {
    await world.createWork('w', [short]);
    await end('Complete');
    await world.stop();
    await world.updateManifests('w', [{ ...short, metadata: { ...short.metadata, labels: { run: '2' } } }]);
    await world.start();
    expect(await world.object(short)).toBeDefined();
  });

  it('is not run again when the work would orphan it', async () => {
    await world.createWork('w', [short]);
    await end('Complete');
    await world.updateWork('w', (spec) => ({ ...spec, deleteOption: { propagationPolicy: 'Orphan' } }));
    await world.advance(1_000);
    expect(await world.object(short)).toBeUndefined();
  });

  it('is run again when the hub changes it', async () => {
    await world.createWork('w', [short]);
    await end('Complete');
    await world.updateManifests('w', [{ ...short, metadata: { ...short.metadata, labels: { run: '2' } } }]);
    expect(await world.object(short)).toBeDefined();
  });

  it('is run again when it was deleted before its end', async () => {
    await world.createWork('w', [short]);
    await world.remove(short);
    expect(await world.object(short)).toBeDefined();
  });
});

describe('two works that want different content of one object', () => {
  const content = async () => (await world.object(configMap('both')))?.data;
  const applied = async () => [
    ...ofManifests(await world.work('a'), 'Applied'),
    ...ofManifests(await world.work('b'), 'Applied'),
  ];

  it.each([['a'], ['b']])('keep the winner, %s, when the agent restarts', async (winner) => {
    await world.createWork('a', [configMap('both', { from: 'a' })]);
    await world.createWork('b', [configMap('both', { from: 'b' })]);
    if (winner === 'a') await world.updateManifests('a', [configMap('both', { from: 'a', now: 'again' })]);
    const before = await content();
    expect(before).toMatchObject({ from: winner });
    for (let restart = 0; restart < 3; restart += 1) {
      await world.start();
      await world.advance(1_000);
      expect(await content()).toEqual(before);
    }
    const loser = winner === 'a' ? 'b' : 'a';
    expect(await applied()).toEqual(winner === 'a' ? ['True', 'False'] : ['False', 'True']);
    expect(await messageOf(loser)).toContain(`ManifestWork "${winner}" applies the same object with other content`);
    await world.edit(configMap('both'), { data: { from: 'another writer' } });
    expect(await content()).toEqual(before);
    await world.deleteWork(winner);
    expect(await content()).toMatchObject({ from: loser });
    expect(ofManifests(await world.work(loser), 'Applied')).toEqual(['True']);
  });

  it('let the one win that changed while the agent was away', async () => {
    await world.createWork('a', [configMap('both', { from: 'a' })]);
    await world.createWork('b', [configMap('both', { from: 'b' })]);
    await world.stop();
    await world.updateManifests('a', [configMap('both', { from: 'a, later' })]);
    await world.start();
    await world.advance(1_000);
    expect(await content()).toEqual({ from: 'a, later' });
    expect(await applied()).toEqual(['True', 'False']);
  });
});
