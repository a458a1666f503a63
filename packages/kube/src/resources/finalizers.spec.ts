import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { configMaps } from '../kinds/built-in-kinds.ts';
import type { ConfigMap } from '../kinds/built-in-types.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './finalizers.ts';
import { createKubeClient } from './kube-client.ts';
import type { ResourceHandle } from './resource-handle.ts';

let api: FakeApi;
let handle: ResourceHandle<ConfigMap>;
let object: ConfigMap;

beforeEach(async () => {
  const clock = new FakeClock();
  api = new FakeApi(clock);
  handle = createKubeClient({ transport: api, clock }).resource(configMaps);
  object = await handle.create({ metadata: { namespace: 'a', name: 'b', finalizers: ['other'] } });
});

const finalizers = async () => (await handle.get('a/b')).metadata?.finalizers;

describe('a finalizer', () => {
  it('is added behind those of others', async () => {
    const added = await addFinalizer(handle, object, 'ours');
    expect(added && hasFinalizer(added, 'ours')).toBe(true);
    expect(await finalizers()).toEqual(['other', 'ours']);
  });

  it('is added and removed without a request if nothing is to do', async () => {
    const before = api.requests.length;
    expect(await removeFinalizer(handle, object, 'ours')).toBe(object);
    expect(await addFinalizer(handle, object, 'other')).toBe(object);
    expect(api.requests).toHaveLength(before);
  });

  it('does not undo what another wrote since the object was read', async () => {
    await addFinalizer(handle, object, 'third');
    await addFinalizer(handle, object, 'ours');
    expect(await finalizers()).toEqual(['other', 'third', 'ours']);
    await removeFinalizer(handle, object, 'other');
    expect(await finalizers()).toEqual(['third', 'ours']);
  });

  it('is not added to an object that is going', async () => {
    await handle.delete('a/b');
    const deleting = await handle.get('a/b');
    expect(isDeleting(deleting)).toBe(true);
    expect(await addFinalizer(handle, deleting, 'ours')).toBe(deleting);
  });

  it('deletes the object when the last one is removed', async () => {
    await handle.delete('a/b');
    await removeFinalizer(handle, object, 'other');
    expect(await handle.find('a/b')).toBeUndefined();
    expect(await removeFinalizer(handle, object, 'other')).toBeUndefined();
  });

  it('is not removed from a namesake that was created later', async () => {
    await removeFinalizer(handle, object, 'other');
    await handle.delete('a/b');
    await handle.create({ metadata: { namespace: 'a', name: 'b', finalizers: ['other'] } });
    expect(await removeFinalizer(handle, object, 'other')).toBeUndefined();
    expect(await finalizers()).toEqual(['other']);
  });

  it('is given up after many conflicts in a row', async () => {
    api.before = ({ method }) => {
      if (method === 'PATCH') throw new KubeError('Conflict', 'again');
    };
    await expect(addFinalizer(handle, object, 'ours')).rejects.toMatchObject({ code: 'Conflict' });
    expect(api.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(5);
  });
});
