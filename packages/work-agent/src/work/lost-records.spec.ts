import { appliedManifestWorks } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionStatuses, configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
/** Events about records wait for it. */
let gate: Promise<void> = Promise.resolve();

async function* behindGate(chunks: AsyncIterable<string>): AsyncIterable<string> {
  for await (const chunk of chunks) {
    await gate;
    yield chunk;
  }
}

const withLateRecords = (inner: Transport): Transport => ({
  ...inner,
  async stream(request) {
    const { status, headers, monitored, chunks, ...stream } = await inner.stream(request);
    const isOfRecords = request.path.includes(`/${appliedManifestWorks.plural}`);
    return {
      status,
      headers,
      monitored,
      chunks: isOfRecords ? behindGate(chunks) : chunks,
      close: () => stream.close(),
    };
  },
});

beforeAll(async () => {
  world = await startWorld();
  const { clock } = world;
  const transport = withLateRecords(world.spoke.client.transport);
  await world.start({ spoke: createKubeClient({ transport, clock, fieldManager: 'work-agent' }) });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Creates a work whose record comes and goes, with its finalizer, before the agent observes it; then it observes both. */
const createAndSnatch = async (name: string, meanwhile: () => Promise<void> = async () => {}): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  await world.createWork(name, [configMap(name)]);
  const records = world.spoke.client.resource(appliedManifestWorks);
  const key = `${world.hubHash}-${name}`;
  const { metadata } = await records.patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
  await records.delete(key);
  await meanwhile();
  resolve();
  await world.quiet();
  await world.advance(60_000);
  return metadata?.uid ?? '';
};

describe('a record that is deleted before the agent has observed it', () => {
  it('is created again, and owns the objects', async () => {
    const before = await createAndSnatch('snatched');
    const after = (await world.appliedWork('snatched'))?.metadata.uid;
    expect(after).toBeDefined();
    expect(after).not.toBe(before);
    expect((await world.object(configMap('snatched')))?.metadata?.ownerReferences).toMatchObject([{ uid: after }]);
    expect(conditionStatuses((await world.work('snatched'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
  });

  it('does not keep its work from going', async () => {
    await createAndSnatch('left', () => world.deleteWork('left'));
    expect(await world.work('left')).toBeUndefined();
  });
});
