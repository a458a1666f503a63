import type { ResourceType } from '@flotilla/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { createKubeClient } from '../resources/kube-client.ts';
import type { ResourceHandle } from '../resources/resource-handle.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { applyConditions, type ConditionedObject } from './apply-conditions.ts';

const clusters: ResourceType<ConditionedObject> = {
  group: 'x.io',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: false,
};
const available = { type: 'Available', status: 'True', reason: 'Ready', message: 'all well' } as const;
const joined = { type: 'Joined', status: 'True', reason: 'Joined', message: '' } as const;

let clock: FakeClock;
let api: FakeApi;
let handle: ResourceHandle<ConditionedObject>;
let object: ConditionedObject;

beforeEach(async () => {
  clock = new FakeClock();
  api = new FakeApi(clock);
  handle = createKubeClient({ transport: api, clock }).resource(clusters);
  object = await handle.create({ metadata: { name: 'c' } });
  api.requests.length = 0;
});

const types = async () => (await handle.get('c')).status?.conditions?.map(({ type, status }) => `${type}=${status}`);

describe('applying conditions', () => {
  it('writes the status alone, in one request', async () => {
    const result = await applyConditions(handle, object, [available], { clock });
    expect(result).toMatchObject({ written: true, object: { status: { conditions: [available] } } });
    expect(api.calls).toEqual(['PATCH /apis/x.io/v1/clusters/c/status']);
  });

  it('names the generation that it is about, unless it is asked not to', async () => {
    const { object: first } = await applyConditions(
      handle,
      { ...object, metadata: { ...object.metadata, generation: 3 } },
      [available],
    );
    expect(first.status?.conditions).toMatchObject([{ type: 'Available', observedGeneration: 3 }]);
    const current = { ...first, metadata: { ...first.metadata, generation: 4 } };
    const options = { clock, observedGeneration: false };
    const { object: second } = await applyConditions(handle, current, [{ ...joined, observedGeneration: 2 }], options);
    expect(second.status?.conditions).toMatchObject([{ observedGeneration: 3 }, { observedGeneration: 2 }]);
  });

  it('writes nothing the second time', async () => {
    const { object: first } = await applyConditions(handle, object, [available], { clock });
    await clock.advance(60_000);
    expect(await applyConditions(handle, first, [available], { clock })).toEqual({ object: first, written: false });
    expect(api.requests).toHaveLength(1);
  });

  it('keeps what another owner wrote since the object was read', async () => {
    await applyConditions(handle, object, [joined], { clock });
    expect(await applyConditions(handle, object, [available], { clock })).toMatchObject({ written: true });
    expect(await types()).toEqual(['Joined=True', 'Available=True']);
  });

  it('writes nothing if the newer object says so already', async () => {
    await applyConditions(handle, object, [available], { clock });
    expect(await applyConditions(handle, object, [available], { clock })).toMatchObject({ written: false });
    expect(api.calls.slice(1)).toEqual(['PATCH /apis/x.io/v1/clusters/c/status', 'GET /apis/x.io/v1/clusters/c']);
  });

  it('throws a second conflict, for the queue to come back', async () => {
    api.before = ({ method }) => {
      if (method === 'PATCH') throw new KubeError('Conflict', 'again');
    };
    await expect(applyConditions(handle, object, [available], { clock })).rejects.toMatchObject({ code: 'Conflict' });
    expect(api.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
  });

  it('does not mind that the object is gone', async () => {
    await handle.delete('c');
    expect(await applyConditions(handle, object, [available], { clock })).toEqual({ object, written: false });
  });

  it('leaves a namesake that was created later alone', async () => {
    await handle.delete('c');
    await handle.create({ metadata: { name: 'c' } });
    expect(await applyConditions(handle, object, [available], { clock })).toMatchObject({ written: false });
    expect(await types()).toBeUndefined();
  });

  it('throws if the kind has no status to write', async () => {
    api.before = () => {
      throw new KubeError('NotFound', 'the server could not find the requested resource', { details: {} });
    };
    await expect(applyConditions(handle, object, [available], { clock })).rejects.toMatchObject({ code: 'NotFound' });
  });
});
