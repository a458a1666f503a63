import { manifestWorks } from '@flotilla/api-types';
import { createKubeClient, keyOf } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import type { Transport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configMap, ofManifests, startWorld, type World, workloadOf } from '../fixtures/world.ts';

const works = Array.from({ length: 60 }, (_, index) => `w${index}`);
const namespace = 'crowded';
const objectsOf = (work: string) =>
  Array.from({ length: 5 }, (_, index) => configMap(`${work}-${index}`, { of: work }, namespace));
const collection = `namespaces/${namespace}/configmaps`;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.spoke.client.resource(namespaces).create({ metadata: { name: namespace } });
  const handle = world.spoke.client.resource(configMaps);
  for (let index = 0; index < 40; index += 1) await handle.create(configMap(`foreign-${index}`, {}, namespace));
  await world.start();
  const handleOfWorks = world.hub.client.resource(manifestWorks);
  for (const name of works) {
    const workload = workloadOf(objectsOf(name));
    await handleOfWorks.create({ metadata: { namespace: 'c1', name }, spec: { workload } });
  }
  await world.quiet();
  expect(ofManifests(await world.work('w59'), 'Applied')).toEqual(['True', 'True', 'True', 'True', 'True']);
});
afterAll(() => world[Symbol.asyncDispose]());

beforeEach(async () => {
  await world.stop();
  world.takeRequests();
});

/** Without watches and discovery. */
const spokeRequests = () => world.takeRequests('spoke').filter((request) => !request.startsWith('GET /api'));

describe('an agent that starts with many objects applied in one namespace', () => {
  it('lists them page by page, and reads and writes none of them', async () => {
    await world.start();
    expect(spokeRequests()).toEqual([`GET ${collection}`, `GET ${collection}`]);
  });

  it('repairs what was changed and deleted while it was away', async () => {
    const [changed = {}, deleted = {}, other = {}] = objectsOf('w7');
    await world.edit(changed, { data: { of: 'other', more: 'x' } });
    await world.edit(other, { metadata: { ownerReferences: null } });
    await world.remove(deleted);
    world.takeRequests();
    await world.start();
    expect((await world.object(changed))?.data).toEqual({ of: 'w7' });
    expect((await world.object(deleted))?.data).toEqual({ of: 'w7' });
    expect((await world.object(other))?.metadata?.ownerReferences).toHaveLength(1);
    expect(
      spokeRequests()
        .filter((request) => request !== `GET ${collection}`)
        .sort(),
    ).toEqual([
      `GET ${collection}/w7-1`,
      `PATCH appliedmanifestworks/${world.hubHash}-w7/status`,
      `POST ${collection}`,
      `PUT ${collection}/w7-0`,
      `PUT ${collection}/w7-2`,
    ]);
  });

  it('repairs what is changed while they are listed', async () => {
    const [changed = {}] = objectsOf('w0');
    const { transport } = world.spoke.client;
    const edit = () =>
      world.spoke.client.resource(configMaps).patch(keyOf(changed), { type: 'merge', body: { data: { of: 'other' } } });
    let edits = 0;
    const editing: Transport = {
      ...transport,
      async request(request) {
        if (request.path.includes(`${collection}?`) && request.path.includes('continue=')) {
          edits += 1;
          await edit();
        }
        return transport.request(request);
      },
    };
    const { clock } = world;
    await world.start({ spoke: createKubeClient({ transport: editing, clock, fieldManager: 'work-agent' }) });
    await world.advance(1_000);
    expect(edits).toBe(1);
    expect((await world.object(changed))?.data).toEqual({ of: 'w0' });
  });

  it('reads them one by one where it is not allowed to list them', async () => {
    const isList = (path: string) => path === collection;
    world.failWith(({ method, path, isWatch }) =>
      !isWatch && method === 'GET' && isList(path) ? 'Forbidden' : undefined,
    );
    await world.start();
    world.failWith(undefined);
    const requests = spokeRequests();
    expect(requests.filter((request) => request.startsWith(`GET ${collection}/`))).toHaveLength(5 * works.length);
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
  });

  it('reads them one by one where it is not allowed to watch them', async () => {
    world.failWith(({ path }) => (path === collection ? 'Forbidden' : undefined));
    await world.start();
    world.failWith(undefined);
    const requests = spokeRequests();
    expect(requests.filter((request) => request.startsWith(`GET ${collection}/`))).toHaveLength(5 * works.length);
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
  });
});
