import { type ClusterManager, clusterManagers } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { clusterManagerDefinitions } from '@flotilla/install/chart';
import { silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { customResourceDefinitionResource } from '@flotilla/schema/define';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeOperated } from './remove.ts';

const name = 'cluster-manager';

let plane: ControlPlane;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  plane = await startControlPlane({ listen: false });
  for (const one of await clusterManagerDefinitions())
    await plane.client.resource(customResourceDefinitionResource).create(one);
});
afterEach(() => plane.stop());

const handle = () => plane.client.resource(clusterManagers);
const remove = () =>
  removeOperated(
    { client: plane.client, clock, log: silentLogger },
    { type: clusterManagers, name, timeoutMs: 60_000 },
  );
const create = (more: Partial<ClusterManager['metadata']> = {}) =>
  handle().create({ metadata: { name, ...more }, spec: {} });
const isTerminating = () =>
  expect.poll(async () => (await handle().find(name))?.metadata.deletionTimestamp, { timeout: 10_000 }).toBeDefined();

describe('removing what an operator installed', () => {
  it('waits until the operator released the object', async () => {
    await create({ finalizers: ['example.com/operator'] });
    const removal = remove();
    await isTerminating();
    await handle().patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });
    await removal;
    expect(await handle().find(name)).toBeUndefined();
  });

  it('says after the deadline what the object waits for', async () => {
    await create({ finalizers: ['example.com/operator'] });
    await handle().status.patch(name, {
      type: 'merge',
      body: {
        status: {
          conditions: [
            {
              type: 'Applied',
              status: 'False',
              reason: 'Removing',
              message: 'waiting for cluster c1',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      },
    });
    const refused = expect(remove()).rejects.toThrow(
      /ClusterManager cluster-manager still exists after 60s: Applied: waiting for cluster c1/,
    );
    await isTerminating();
    await clock.advance(60_000);
    await refused;
  });

  it('has nothing to do where the definition was deleted first', async () => {
    for (const { metadata } of await clusterManagerDefinitions()) {
      await plane.client.resource(customResourceDefinitionResource).delete(metadata.name);
    }
    await remove();
  });

  it('has nothing to do where the object does not exist', async () => {
    await remove();
  });
});
