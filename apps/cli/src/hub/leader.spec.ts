import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import type { KubeObject } from '@flotilla/schema';
import { expect, it } from 'vitest';
import { whyNoLeader } from './leader.ts';

const clock = new FakeClock();
const at = (secondsAgo: number) => new Date(clock.now() - secondsAgo * 1000).toISOString().replace('Z', '000Z');
const shown = (secondsAgo: number) => at(secondsAgo).replace(/\.\d+Z$/, 'Z');

const reasonOf = async (spec: object | undefined, before?: () => void): Promise<string | undefined> => {
  const api = new FakeApi(clock);
  const lease: KubeObject = {
    metadata: { namespace: 'open-cluster-management-hub', name: 'registration-controller-lock' },
  };
  if (spec) api.storage.create('apis/coordination.k8s.io/v1/leases', { ...lease, ...{ spec } });
  if (before) api.before = before;
  return whyNoLeader(createKubeClient({ transport: api, clock }), clock);
};
const held = { holderIdentity: 'laptop_1', leaseDurationSeconds: 137 };

it('has nothing to say of a leader that renews its lease, nor of a hub without a lease', async () => {
  expect(await reasonOf({ ...held, renewTime: at(50) })).toBeUndefined();
  expect(await reasonOf(undefined)).toBeUndefined();
});

it('is undefined for a user who cannot read leases', async () => {
  const refuse = () => {
    throw new KubeError('Forbidden', 'no');
  };
  expect(await reasonOf({ ...held, renewTime: at(500) }, refuse)).toBeUndefined();
});

it('says since when a killed leader is silent, and from when on another one can lead', async () => {
  expect(await reasonOf({ ...held, renewTime: at(60) })).toBe(
    `the leader of the controllers of the hub, laptop_1, has not renewed its lease since ${shown(60)}; if it was killed, another one leads from ${shown(-77)} on`,
  );
});

it('says since when no process leads', async () => {
  expect(await reasonOf({ ...held, renewTime: at(200) })).toBe(
    `no process leads the controllers of the hub: the last one, laptop_1, renewed its lease at ${shown(200)}`,
  );
  expect(await reasonOf({ holderIdentity: '', leaseDurationSeconds: 1, renewTime: at(5) })).toBe(
    `no process leads the controllers of the hub since ${shown(5)}`,
  );
});
