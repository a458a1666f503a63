import { createKubeClient, KubeError } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { secretStore } from './credential-store.ts';

function start() {
  const clock = new FakeClock();
  const api = new FakeApi(clock);
  const client = createKubeClient({ transport: api, clock });
  const methods = () => {
    const taken = api.calls.map((call) => call.split(' ')[0]);
    api.requests.length = 0;
    return taken;
  };
  return { api, client, methods, store: secretStore(client, 'agent/hub-kubeconfig-secret') };
}

describe('credentials in a Secret', () => {
  it('[registration-agent 19.5-49] are created if there is none', async () => {
    const { store, methods } = start();
    expect(await store.read()).toBeUndefined();
    expect(methods()).toEqual(['GET']);
    await store.write({ 'tls.crt': 'C' });
    expect(methods()).toEqual(['GET', 'POST']);
    expect(await store.read()).toEqual({ 'tls.crt': 'C' });
  });

  it('[registration-agent 19.5-50] are put over those that are there, and no write is made for nothing', async () => {
    const { store, methods } = start();
    await store.write({ 'tls.crt': 'C', 'cluster-name': 'c1' });
    methods();
    await store.write({ 'tls.crt': 'D', 'pending.tls.key': undefined });
    expect(methods()).toEqual(['GET', 'PUT']);
    expect(await store.read()).toEqual({ 'tls.crt': 'D', 'cluster-name': 'c1' });
    methods();
    await store.write({ 'tls.crt': 'D' });
    expect(methods()).toEqual(['GET']);
    await store.write({ 'cluster-name': undefined });
    expect(await store.read()).toEqual({ 'tls.crt': 'D' });
  });

  it('go into the Secret that was changed or created in between', async () => {
    const { api, client, store } = start();
    await store.write({ 'tls.crt': 'C' });
    let meddling = 1;
    api.before = async ({ method }) => {
      if (method !== 'PUT' || meddling-- <= 0) return;
      const current = await client.resource(secrets).get('agent/hub-kubeconfig-secret');
      await client.resource(secrets).replace({ ...current, data: { ...current.data, theirs: 'eA==' } });
    };
    await store.write({ 'tls.crt': 'D' });
    expect(await store.read()).toEqual({ 'tls.crt': 'D', theirs: 'x' });
  });

  it('report why they cannot be written', async () => {
    const { api, store } = start();
    api.before = ({ method }) => {
      if (method === 'POST') throw new KubeError('Forbidden', 'not yours');
    };
    await expect(store.write({ 'tls.crt': 'C' })).rejects.toThrow('not yours');
  });
});
