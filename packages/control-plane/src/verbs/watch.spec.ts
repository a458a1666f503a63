import { KubeError } from '@flotilla/kube';
import { configMaps, customResourceDefinitions } from '@flotilla/kube/kinds';
import { describe, expect, test, vi } from 'vitest';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import type { Limits } from '../limits/limits.ts';
import { followDefinitions } from '../schema/definitions.ts';

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
async function openWatch(
  { handler }: TestPlane,
  query: Record<string, string>,
  path = maps,
  user?: UserInfo,
): Promise<AsyncIterator<string>> {
  const answer = await handler({
    method: 'GET',
    path,
    query: new URLSearchParams({ watch: '1', ...query }),
    headers: {},
    readBody: async () => Buffer.alloc(0),
    ...(user && { user }),
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

test('a watch whose reader is further behind than the history ends, so that it keeps nothing in memory', async () => {
  const plane = await startTestPlane();
  const { storage } = plane.backend;
  const create = (name: string) =>
    plane.client.resource(configMaps).create({ metadata: { namespace: 'default', name } });
  const reader = await openWatch(plane, { resourceVersion: String(storage.revision) });
  const first = reader.next();
  await create('a');
  expect(await first).toMatchObject({ value: expect.stringContaining('ADDED a') });
  await create('b');
  storage.compact(storage.revision);
  await create('c');
  expect(await reader.next()).toMatchObject({ done: true });
});

describe('what is ready for a reader who takes nothing', () => {
  const inV1 = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
  const inV2 = '/apis/example.com/v2/namespaces/default/widgets';
  const schema = {
    openAPIV3Schema: { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true },
  };
  const spec = {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ],
  };
  const objectBytes = 100_000;
  const count = 20;

  /** With objects that no watch of v2 can send as they are stored. */
  async function startWithWidgets(limits: Partial<Limits> = {}) {
    const plane = await startTestPlane({ limits });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(followDefinitions({ ...plane.backend }));
    const definitions = plane.client.resource(customResourceDefinitions);
    await definitions.create({ metadata: { name: 'widgets.example.com' }, spec });
    await plane.quiet();
    const text = 'x'.repeat(objectBytes);
    for (let at = 0; at < count; at++) {
      const metadata = { namespace: 'default', name: `w${at}`, annotations: { text } };
      await plane.client.resource(inV1).create({ metadata });
    }
    const moved = cleanup.move();
    return { plane, [Symbol.asyncDispose]: () => moved.disposeAsync() };
  }

  test('is a part of the first list, not all of it', async () => {
    await using running = await startWithWidgets();
    const show = vi.spyOn(running.plane.backend.conversions, 'show');
    const reader = await openWatch(running.plane, {}, inV2);
    await reader.next();
    const shown = show.mock.calls.flatMap(([, objects]) => objects);
    expect(shown.length).toBeLessThan(count / 2);
  });

  test('counts for its user, and a watch beyond the limit ends', async () => {
    await using running = await startWithWidgets({ maxAnswersBytesPerUser: 7 * objectBytes });
    const first = await openWatch(running.plane, {}, inV2);
    expect(await first.next()).toMatchObject({ value: expect.stringContaining('ADDED') });
    const second = await openWatch(running.plane, {}, inV2);
    expect(await second.next()).toMatchObject({ done: true });
  });

  test('counts for its user although it is stored as it is sent', async () => {
    await using running = await startWithWidgets({ maxAnswersBytesPerUser: 1.5 * objectBytes });
    const inStoredVersion = inV2.replace('v2', 'v1');
    const first = await openWatch(running.plane, {}, inStoredVersion);
    expect(await first.next()).toMatchObject({ value: expect.stringContaining('ADDED') });
    const second = await openWatch(running.plane, {}, inStoredVersion);
    expect(await second.next()).toMatchObject({ done: true });
    const admin = { name: 'admin', groups: ['system:masters'] };
    expect(await (await openWatch(running.plane, {}, inStoredVersion, admin)).next()).toMatchObject({ done: false });
  });
});

test('a watch ends whose reader is further behind than the limit of the server', async () => {
  const plane = await startTestPlane({ limits: { maxWatchBacklog: 2 } });
  const reader = await openWatch(plane, { resourceVersion: String(plane.backend.storage.revision) });
  const first = reader.next();
  for (const name of ['a', 'b', 'c', 'd']) {
    await plane.client.resource(configMaps).create({ metadata: { namespace: 'default', name } });
  }
  expect(await first).toMatchObject({ value: expect.stringContaining('ADDED a') });
  expect(await reader.next()).toMatchObject({ done: true });
});

describe('the watch of a custom resource', () => {
  const schema = { openAPIV3Schema: { type: 'object' as const } };
  const spec = {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

  async function startWithDefinition() {
    const plane = await startTestPlane();
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(followDefinitions({ ...plane.backend }));
    cleanup.use(plane.runControllers());
    const definitions = plane.client.resource(customResourceDefinitions);
    await definitions.create({ metadata: { name: 'widgets.example.com' }, spec });
    await plane.client.resource(widgets).create({ metadata: { namespace: 'default', name: 'a' } });
    await plane.quiet();
    const seen: string[] = [];
    const watch = plane.client.resource(widgets).watch({ resourceVersion: String(plane.backend.storage.revision) });
    const end = (async () => {
      for await (const event of watch)
        if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata?.name}`);
    })();
    await plane.quiet();
    const moved = cleanup.move();
    return { definitions, seen, end, plane, [Symbol.asyncDispose]: () => moved.disposeAsync() };
  }

  test.each<[string, object]>([
    ['is not served any more', { versions: [{ name: 'v1', served: false, storage: true, schema }] }],
    [
      'gets another schema',
      { versions: [{ ...spec.versions[0], schema: { openAPIV3Schema: { type: 'object', description: 'x' } } }] },
    ],
  ])('ends when its version %s', async (_, changed) => {
    await using running = await startWithDefinition();
    await running.definitions.patch('widgets.example.com', { type: 'merge', body: { spec: changed } });
    await running.end;
    expect(running.seen).toEqual([]);
  });

  test('ends with its definition, after it has reported that the objects are deleted', async () => {
    await using running = await startWithDefinition();
    await running.definitions.delete('widgets.example.com');
    await running.plane.quiet();
    await running.end;
    expect(running.seen).toEqual(['DELETED a']);
  });

  test('goes on when the metadata of its definition change', async () => {
    await using running = await startWithDefinition();
    const body = { metadata: { labels: { a: 'b' } } };
    await running.definitions.patch('widgets.example.com', { type: 'merge', body });
    await running.plane.client.resource(widgets).create({ metadata: { namespace: 'default', name: 'b' } });
    await running.plane.quiet();
    expect(running.seen).toEqual(['ADDED b']);
  });
});
