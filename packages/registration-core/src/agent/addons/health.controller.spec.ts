import { managedClusterAddOns } from '@flotilla/api-types';
import { createInformers, createKubeClient, findCondition, runControllers } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { addonHealthController } from './health.controller.ts';

const namespace = 'open-cluster-management-agent-addon';
const hosting = { 'addon.open-cluster-management.io/hosting-cluster-name': 'host' };

async function start({ annotations = {}, mode }: { annotations?: Record<string, string>; mode?: 'Customized' }) {
  const clock = new FakeClock();
  const client = (api = new FakeApi(clock)) => createKubeClient({ transport: api, clock });
  const spokeApi = new FakeApi(clock);
  const [hub, management, spoke] = [client(), client(), client(spokeApi)];
  const handle = hub.resource(managedClusterAddOns);
  const created = await handle.create({ metadata: { name: 'work', namespace: 'c1', annotations }, spec: {} });
  await handle.status.replace({ ...created, status: { ...(mode && { healthCheck: { mode } }) } });
  const informers = createInformers({ client: hub, clock });
  const end = new AbortController();
  const addons = informers.resource(managedClusterAddOns);
  const running = runControllers([addonHealthController({ addons, management, spoke, clock })], {
    signal: end.signal,
    clock,
  });
  await clock.advance(1000);
  return {
    clock,
    spokeApi,
    removeAddon: () => handle.delete('c1/work'),
    renewAgain: () =>
      spoke.resource(leases).patch(`${namespace}/work`, {
        type: 'merge',
        body: { spec: { renewTime: formatMicroTime(clock.now()) } },
      }),
    renew: (cluster: 'spoke' | 'management') =>
      (cluster === 'spoke' ? spoke : management).resource(leases).create({
        metadata: { namespace, name: 'work' },
        spec: { renewTime: formatMicroTime(clock.now()) },
      }),
    remove: () => spoke.resource(leases).delete(`${namespace}/work`),
    available: async () => findCondition((await handle.get('c1/work')).status?.conditions, 'Available'),
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}

describe('the lease of an add-on', () => {
  it('[addons 105] makes it available while it is fresh, not available when it is ten minutes old, and unknown without it', async () => {
    await using scene = await start({});
    expect(await scene.available()).toMatchObject({ status: 'Unknown', reason: 'ManagedClusterAddOnLeaseNotFound' });
    await scene.renew('spoke');
    await scene.clock.advance(30_000);
    expect(await scene.available()).toMatchObject({ status: 'True', reason: 'ManagedClusterAddOnLeaseUpdated' });
    await scene.clock.advance(600_000);
    expect(await scene.available()).toMatchObject({ status: 'False', reason: 'ManagedClusterAddOnLeaseUpdateStopped' });
    await scene.remove();
    await scene.clock.advance(30_000);
    expect(await scene.available()).toMatchObject({ status: 'Unknown', reason: 'ManagedClusterAddOnLeaseNotFound' });
  });

  it('is watched: the first one and its removal are reported at once, and a renewed one costs no request', async () => {
    await using scene = await start({});
    await scene.renew('spoke');
    await scene.clock.advance(100);
    expect((await scene.available())?.status).toBe('True');
    const before = scene.spokeApi.requests.length;
    for (let minute = 0; minute < 4; minute++) {
      await scene.clock.advance(60_000);
      await scene.renewAgain();
    }
    const own = scene.spokeApi.requests.slice(before).filter(({ method }) => method === 'GET');
    expect(own.length).toBeLessThan(2);
    await scene.clock.advance(290_000);
    expect((await scene.available())?.status).toBe('True');
    await scene.clock.advance(10_000);
    expect((await scene.available())?.status).toBe('False');
    await scene.remove();
    await scene.clock.advance(100);
    expect((await scene.available())?.status).toBe('Unknown');
  });

  it('is not watched any more when the add-on is gone', async () => {
    await using scene = await start({});
    expect(scene.spokeApi.streams.size).toBe(1);
    await scene.removeAddon();
    await scene.clock.advance(100);
    expect(scene.spokeApi.streams.size).toBe(0);
  });

  it('is on the management cluster if the add-on is hosted', async () => {
    await using scene = await start({ annotations: hosting });
    await scene.renew('spoke');
    await scene.clock.advance(30_000);
    expect((await scene.available())?.status).toBe('Unknown');
    await scene.renew('management');
    await scene.clock.advance(30_000);
    expect((await scene.available())?.status).toBe('True');
  });

  it('[addons 106] means nothing where the health is customized', async () => {
    await using scene = await start({ mode: 'Customized' });
    await scene.renew('spoke');
    await scene.clock.advance(60_000);
    expect(await scene.available()).toBeUndefined();
  });
});
