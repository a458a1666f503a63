import { manifestWorks } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespace } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
/** Called for each request on the managed cluster, which waits for it. */
let before: (request: string) => Promise<void> = async () => {};

const withInterruption = (inner: Transport): Transport => ({
  ...inner,
  async request(request) {
    await before(`${request.method} ${request.path.split('?')[0]}`);
    return inner.request(request);
  },
});

beforeAll(async () => {
  world = await startWorld();
  const { clock } = world;
  const transport = withInterruption(world.spoke.client.transport);
  await world.start({ spoke: createKubeClient({ transport, clock, fieldManager: 'work-agent' }) });
});
afterAll(() => world[Symbol.asyncDispose]());

describe('a work that is deleted while it is applied', () => {
  it('has nothing more applied from then on, and what was applied is deleted', async () => {
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    const writes: string[] = [];
    before = async (request) => {
      if (/^(POST|PUT|PATCH) /.test(request) && !request.includes('appliedmanifestworks')) writes.push(request);
      if (request !== 'POST /api/v1/namespaces') return;
      sent();
      await isAnswered;
    };
    await world.createWork('deleted', [namespace('deleted'), configMap('deleted'), configMap('other')]);
    await isSent;
    await world.deleteWork('deleted');
    answer();
    await world.advance(1_000);
    expect(writes).toEqual(['POST /api/v1/namespaces']);
    expect(await world.work('deleted')).toBeUndefined();
    expect(await world.appliedWork('deleted')).toBeUndefined();
    expect(await world.object(configMap('deleted'))).toBeUndefined();
    expect(await world.object(namespace('deleted'))).toBeUndefined();
  });
});

describe('a work that is gone before the agent has set its finalizer', () => {
  it('leaves no AppliedManifestWork', async () => {
    const { clock, hub } = world;
    const works = hub.client.resource(manifestWorks);
    const transport: Transport = {
      ...hub.client.transport,
      async request(request) {
        if (request.method === 'PATCH' && request.path.includes('/manifestworks/gone')) await works.delete('c1/gone');
        return hub.client.transport.request(request);
      },
    };
    before = async () => {};
    await world.start({ hub: createKubeClient({ transport, clock, fieldManager: 'work-agent' }) });
    await world.createWork('gone', [configMap('gone')]);
    expect(world.takeRequests('spoke')).toContain(`DELETE appliedmanifestworks/${world.hubHash}-gone`);
    expect(await world.appliedWork('gone')).toBeUndefined();
    expect(await world.object(configMap('gone'))).toBeUndefined();
  });
});

describe('a work that is being deleted', () => {
  it('says so, also if the hub refused the report at first', async () => {
    await world.createWork('reported', [configMap('reported')]);
    await world.edit(configMap('reported'), { metadata: { finalizers: ['example.com/hold'] } });
    let refusals = 1;
    world.failWith(({ path }) => (path === 'manifestworks/reported/status' && refusals-- > 0 ? 'Internal' : undefined));
    await world.deleteWork('reported');
    await world.advance(1_000);
    world.failWith(undefined);
    expect(conditionStatuses((await world.work('reported'))?.status?.conditions)).toContain('Deleting=True');
    await world.edit(configMap('reported'), { metadata: { finalizers: null } });
    expect(await world.work('reported')).toBeUndefined();
  });
});
