import { KubeError } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { expect, test } from 'vitest';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';

test('a watch from before a compaction gets 410, so that the client lists again', async () => {
  const { client, backend } = await startTestPlane();
  const maps = client.resource(configMaps);
  const { metadata } = await maps.create({ metadata: { namespace: 'default', name: 'a' } });
  await maps.create({ metadata: { namespace: 'default', name: 'b' } });
  backend.storage.compact(backend.storage.revision);
  const watch = maps.watch({ namespace: 'default', resourceVersion: metadata?.resourceVersion ?? '' });
  const follow = async (): Promise<never> => {
    for await (const event of watch) throw new Error(`${event.type} instead of an end`);
    throw new Error('the watch ended in good order');
  };
  const error = await follow().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(KubeError);
  expect(error).toMatchObject({ code: 'Expired', status: 410 });
});

const maps = '/api/v1/namespaces/default/configmaps';

/** The events of a watch as their reader takes them, one at a time: `ADDED a@7`. */
async function openWatch({ handler }: TestPlane, query: Record<string, string>): Promise<AsyncIterator<string>> {
  const answer = await handler({
    method: 'GET',
    path: maps,
    query: new URLSearchParams({ watch: '1', ...query }),
    headers: {},
    body: Buffer.alloc(0),
    user: { name: 'admin', groups: ['system:masters'] },
    signal: new AbortController().signal,
  });
  const { body } = answer;
  if (typeof body === 'string') throw new Error(body);
  return (async function* () {
    for await (const chunk of body) {
      for (const line of String(chunk).trim().split('\n')) {
        const { type, object } = JSON.parse(line);
        yield `${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`;
      }
    }
  })();
}

test('the last bookmark of a watch does not go past a change that its slow reader did not get', async () => {
  const plane = await startTestPlane();
  const create = async (name: string): Promise<string> => {
    const created = await plane.client.resource(configMaps).create({ metadata: { namespace: 'default', name } });
    return `${name}@${created.metadata?.resourceVersion}`;
  };
  const resourceVersion = String(plane.backend.storage.revision);
  const query = { resourceVersion, allowWatchBookmarks: 'true', timeoutSeconds: '30' };
  const reader = await openWatch(plane, query);
  const first = reader.next();
  const a = await create('a');
  expect(await first).toMatchObject({ value: `ADDED ${a}` });

  const b = await create('b');
  const atTheEnd = plane.backend.storage.revision;
  await plane.clock.advance(30_000);
  const c = await create('c');
  expect(await reader.next()).toMatchObject({ value: `ADDED ${b}` });
  expect(await reader.next()).toMatchObject({ value: `BOOKMARK @${atTheEnd}` });
  expect(await reader.next()).toMatchObject({ done: true });

  const resumed = await openWatch(plane, { ...query, resourceVersion: String(atTheEnd) });
  expect(await resumed.next()).toMatchObject({ value: `ADDED ${c}` });
});
