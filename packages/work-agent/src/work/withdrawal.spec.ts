import { createKubeClient, type Transport } from '@flotilla/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespace } from '../fixtures/manifests.ts';
import { configMap, startWorld, told, type World } from '../fixtures/world.ts';

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
  it('has nothing more applied from then on, and takes away what was', async () => {
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    const writes: string[] = [];
    before = async (request) => {
      if (/^(POST|PUT|PATCH) /.test(request) && !request.includes('appliedmanifestworks')) writes.push(request);
      if (request !== 'POST /api/v1/namespaces') return;
      sent();
      await isAnswered;
    };
    await world.createWork('withdrawn', [namespace('withdrawn'), configMap('withdrawn'), configMap('other')]);
    await isSent;
    await world.deleteWork('withdrawn');
    answer();
    await world.pass(1_000);
    expect(writes).toEqual(['POST /api/v1/namespaces']);
    expect(await world.work('withdrawn')).toBeUndefined();
    expect(await world.appliedWork('withdrawn')).toBeUndefined();
    expect(await world.object(configMap('withdrawn'))).toBeUndefined();
    expect(await world.object(namespace('withdrawn'))).toBeUndefined();
  });
});

describe('a work that is being deleted', () => {
  it('says so, also if the hub refused to hear it at first', async () => {
    await world.createWork('told', [configMap('told')]);
    await world.edit(configMap('told'), { metadata: { finalizers: ['example.com/hold'] } });
    let refusals = 1;
    world.failWith(({ path }) => (path === 'manifestworks/told/status' && refusals-- > 0 ? 'Internal' : undefined));
    await world.deleteWork('told');
    await world.pass(1_000);
    world.failWith(undefined);
    expect(told((await world.work('told'))?.status?.conditions)).toContain('Deleting=True');
    await world.edit(configMap('told'), { metadata: { finalizers: null } });
    expect(await world.work('told')).toBeUndefined();
  });
});
