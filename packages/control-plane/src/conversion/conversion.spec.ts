import { keyOf, silentLogger } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import { serveWebhook, type WebhookServer } from '../../fixtures/webhook-server.ts';
import { followDefinitions } from '../schema/definitions.ts';

interface Thing extends KubeObject {
  spec?: { size?: number; width?: number };
  status?: { seen?: string; observed?: string };
}
const kind = { group: 'example.com', kind: 'Thing', plural: 'things', namespaced: true };
const v1: ResourceType<Thing> = { ...kind, version: 'v1' };
const v2: ResourceType<Thing> = { ...kind, version: 'v2' };

/** v1 says `size` and `seen`, v2 `width` and `observed`; v1, which is stored, has a default. */
function convert(thing: Thing, apiVersion: string): Thing {
  const { spec, status, ...rest } = thing;
  if (thing.metadata?.name === 'stubborn' && apiVersion.endsWith('v2')) throw new Error('I will not');
  return apiVersion.endsWith('v2')
    ? { ...rest, apiVersion, spec: { width: spec?.size }, ...(status && { status: { observed: status.seen } }) }
    : { ...rest, apiVersion, spec: { size: spec?.width }, ...(status && { status: { seen: status.observed } }) };
}

const schemaOf = (spec: string, status: string, rest: object = {}) => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { [spec]: { type: 'integer', ...rest } } },
    status: { type: 'object', properties: { [status]: { type: 'string' } } },
  },
});
const version = (name: string, storage: boolean, openAPIV3Schema: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema },
  subresources: { status: {} },
});

let plane: TestPlane;
let webhook: WebhookServer;
let questions = 0;
beforeAll(async () => {
  plane = await startTestPlane();
  const { storage, registry } = plane.backend;
  const stop = followDefinitions({ storage, registry, clock: plane.clock, log: silentLogger });
  webhook = await serveWebhook(({ request }) => {
    questions++;
    const { uid, desiredAPIVersion, objects } = request;
    try {
      const convertedObjects = (objects as Thing[]).map((object) => convert(object, String(desiredAPIVersion)));
      return { response: { uid, convertedObjects, result: { status: 'Success' } } };
    } catch (error) {
      return { response: { uid, result: { status: 'Failure', message: String(error) } } };
    }
  });
  await plane.client.resource<KubeObject>(customResourceDefinitions).create({
    metadata: { name: 'things.example.com' },
    ...{
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
            conversionReviewVersions: ['v1'],
          },
        },
        versions: [
          version('v1', true, schemaOf('size', 'seen', { default: 3 })),
          version('v2', false, schemaOf('width', 'observed')),
        ],
      },
    },
  });
  return stop;
});
afterAll(() => webhook[Symbol.asyncDispose]());

const metadata = (name: string) => ({ name, namespace: 'default' });

test('what is written in one version is read in the other, with the defaults of the one that is stored', async () => {
  const [ones, twos] = [plane.client.resource(v1), plane.client.resource(v2)];
  await ones.create({ metadata: metadata('a'), spec: { size: 5 } });
  expect((await twos.get('default/a')).spec).toEqual({ width: 5 });
  const created = await twos.create({ metadata: metadata('b') });
  expect(created.spec).toEqual({ width: 3 });
  const changed = await twos.patch('default/b', { type: 'merge', body: { spec: { width: 9 } } });
  expect(changed.metadata?.generation).toBe(2);
  expect((await ones.get('default/b')).spec).toEqual({ size: 9 });
  await twos.status.patch('default/b', { type: 'merge', body: { status: { observed: 'yes' } } });
  await ones.patch('default/b', { type: 'merge', body: { metadata: { labels: { l: 'x' } } } });
  expect(await twos.get('default/b')).toMatchObject({ spec: { width: 9 }, status: { observed: 'yes' } });
  expect(
    (await twos.apply({ ...created, metadata: metadata('c'), spec: { width: 1 } }, { fieldManager: 'm' })).spec,
  ).toEqual({ width: 1 });
  expect(
    (await twos.apply({ ...created, metadata: metadata('c'), spec: { width: 2 } }, { fieldManager: 'm' })).spec,
  ).toEqual({ width: 2 });
  await twos.delete('default/c');
  expect((await ones.list()).items.map(keyOf)).toEqual(['default/a', 'default/b']);
});

test('a list is one question, and what was converted once is not asked about again', async () => {
  const twos = plane.client.resource(v2);
  await plane.client.resource(v1).create({ metadata: metadata('d'), spec: { size: 1 } });
  const before = questions;
  const { items } = await twos.list({ namespace: 'default' });
  expect(items.every(({ apiVersion, spec }) => apiVersion === 'example.com/v2' && spec?.width !== undefined)).toBe(
    true,
  );
  expect(questions - before).toBe(1);
  await twos.list({ namespace: 'default' });
  await twos.get('default/d');
  expect(questions - before).toBe(1);
});

test('watchers see their version, from the first object on', async () => {
  const end = new AbortController();
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const event of plane.client.resource(v2).watch({ namespace: 'default', signal: end.signal })) {
      if (event.type !== 'BOOKMARK' && event.object.metadata?.name === 'w') seen.push([event.type, event.object.spec]);
    }
  })().catch(() => {});
  const ones = plane.client.resource(v1);
  await ones.create({ metadata: metadata('w'), spec: { size: 1 } });
  await ones.patch('default/w', { type: 'merge', body: { spec: { size: 2 } } });
  await ones.delete('default/w');
  await expect
    .poll(() => seen)
    .toEqual([
      ['ADDED', { width: 1 }],
      ['MODIFIED', { width: 2 }],
      ['DELETED', { width: 2 }],
    ]);
  end.abort();
  await watching;
});

test('where the webhook fails, the request does, with its words; the stored version is read without it', async () => {
  const ones = plane.client.resource(v1);
  await ones.create({ metadata: metadata('stubborn'), spec: { size: 1 } });
  await expect(plane.client.resource(v2).get('default/stubborn')).rejects.toThrow(
    'conversion webhook for example.com/v1, Kind=Thing failed: Error: I will not',
  );
  await expect(plane.client.resource(v2).list()).rejects.toMatchObject({ status: 500 });
  expect((await ones.get('default/stubborn')).spec).toEqual({ size: 1 });
  await ones.delete('default/stubborn');
});
