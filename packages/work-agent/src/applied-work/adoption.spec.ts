import { appliedManifestWorks } from '@flotilla/api-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configMap, startWorld, type World } from '../fixtures/world.ts';
import { hubHashOf } from '../hub-hash.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const records = async () => (await world.spoke.client.resource(appliedManifestWorks).list()).items;
const names = async () => (await records()).map(({ metadata }) => metadata?.name);

describe('a record of another agentID', () => {
  it('is taken over before it is deleted, when the work was deleted while no agent ran', async () => {
    await world.start({ agentID: 'random-name' });
    await world.createWork('w', [configMap('w')]);
    await world.stop();
    await world.deleteWork('w');
    await world.start();
    expect(await world.work('w')).toBeUndefined();
    expect(await world.appliedWork('w')).toBeUndefined();
    expect(await world.object(configMap('w'))).toBeUndefined();
  });

  it('is taken over also when it is Terminating already', async () => {
    await world.start({ agentID: 'random-name' });
    await world.createWork('w', [configMap('w')]);
    await world.stop();
    await world.deleteWork('w');
    await world.spoke.client.resource(appliedManifestWorks).delete(`${world.hubHash}-w`);
    await world.start();
    expect(await world.work('w')).toBeUndefined();
    expect(await world.object(configMap('w'))).toBeUndefined();
  });

  it('that is Terminating does not hold up a new work of the same name', async () => {
    await world.start({ agentID: 'random-name' });
    await world.createWork('w', [configMap('w'), configMap('old')]);
    await world.stop();
    await world.spoke.client.resource(appliedManifestWorks).delete(`${world.hubHash}-w`);
    await world.updateManifests('w', [configMap('w')]);
    await world.start();
    await world.advance(1_000);
    expect((await world.appliedWork('w'))?.spec?.agentID).toBe(world.hubHash);
    expect(await world.object(configMap('w'))).toBeDefined();
    expect(await world.object(configMap('old'))).toBeUndefined();
  });

  it('is left alone without a work of this cluster: it is of another agent', async () => {
    await world.start({ agentID: 'another-agent' });
    await world.createWork('w', [configMap('w')]);
    await world.stop();
    await world.spoke.client.resource(appliedManifestWorks).patch(`${world.hubHash}-w`, {
      type: 'merge',
      body: { spec: { manifestWorkName: 'of-another-cluster' } },
    });
    await world.hub.client.transport.request({
      method: 'PATCH',
      path: '/apis/work.open-cluster-management.io/v1/namespaces/c1/manifestworks/w',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { finalizers: null } }),
    });
    await world.deleteWork('w');
    await world.start();
    await world.advance(7_200_000);
    expect(await world.object(configMap('w'))).toBeDefined();
  });

  it('is taken over without a work if it is a former name of this agent, and goes after the grace period', async () => {
    await world.start({ agentID: 'random-name' });
    await world.createWork('w', [configMap('w')]);
    await world.stop();
    await world.hub.client.transport.request({
      method: 'PATCH',
      path: '/apis/work.open-cluster-management.io/v1/namespaces/c1/manifestworks/w',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { finalizers: null } }),
    });
    await world.deleteWork('w');
    await world.start({ formerAgentIDs: ['random-name'] });
    expect((await world.appliedWork('w'))?.spec?.agentID).toBe(world.hubHash);
    await world.advance(3_600_000);
    expect(await world.object(configMap('w'))).toBeUndefined();
    expect(await records()).toEqual([]);
  });
});

describe('records of the same hub under the hash of another of its addresses', () => {
  const former = hubHashOf('https://10.0.0.1:6443');

  beforeEach(async () => {
    await world.start({ hubHash: former, agentID: 'name' });
    await world.createWork('w', [configMap('w1'), configMap('w2')]);
    await world.stop();
  });
  const adopt = () => world.start({ formerHubHashes: [former], formerAgentIDs: ['name'] });

  it('are replaced at once, and no object is recreated', async () => {
    const before = (await world.object(configMap('w1')))?.metadata?.uid;
    await adopt();
    expect(await names()).toEqual([`${world.hubHash}-w`]);
    const { metadata } = (await world.object(configMap('w1'))) ?? {};
    expect(metadata?.uid).toBe(before);
    expect(metadata?.ownerReferences?.map(({ name }) => name)).toEqual([`${world.hubHash}-w`]);
    await world.deleteWork('w');
    expect(await world.object(configMap('w1'))).toBeUndefined();
    expect(await world.object(configMap('w2'))).toBeUndefined();
  });

  it('go with a work that was deleted meanwhile, and the objects too', async () => {
    await world.deleteWork('w');
    await adopt();
    await world.advance(1_000);
    expect(await world.work('w')).toBeUndefined();
    expect(await world.object(configMap('w1'))).toBeUndefined();
    expect(await records()).toEqual([]);
  });

  it('keep what the work does not name any more until it is removed', async () => {
    await world.updateManifests('w', [configMap('w2')]);
    await adopt();
    await world.advance(3_600_000);
    expect(await names()).toEqual([`${world.hubHash}-w`]);
    expect(await world.object(configMap('w1'))).toBeUndefined();
    expect(await world.object(configMap('w2'))).toBeDefined();
  });
});
