import { defineAddon, health, hook } from '@flotilla/addon-sdk';
import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { jobs } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { startFleet } from './index.ts';

const key = 'default/clean';

/** An add-on with a hook that does not start before it is told to. */
function addonWithHook() {
  const control = { suspend: true };
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'clean', image: 'clean' }] } };
  const job = () => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'default', name: 'clean' },
    spec: { suspend: control.suspend, template },
  });
  const addon = defineAddon({ name: 'probe', health: health.work(), render: () => [hook.preDelete(job())] });
  return { addon, control };
}

const hookMessage = ({ status }: ManagedClusterAddOn) =>
  findCondition(status?.conditions, 'HookManifestCompleted')?.message ?? '';

it('a pre-delete hook that failed runs again, and then the add-on goes', async () => {
  const { addon, control } = addonWithHook();
  await using fleet = await startFleet({ addons: [addon] });
  await fleet.enable('probe');
  await fleet.whenAvailable('probe');
  const managed = fleet.managed('cluster1').resource(jobs);
  expect(await managed.find(key)).toBeUndefined();

  const gone = fleet.disable('probe');
  const first = await fleet.until(managed, key);
  const lastTransitionTime = new Date().toISOString();
  const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: '', lastTransitionTime };
  const status = { startTime: lastTransitionTime, conditions: [{ ...failed, type: 'FailureTarget' }, failed] };
  control.suspend = false;
  await managed.status.patch(key, { type: 'merge', body: { status } });
  const addons = fleet.hub.resource(managedClusterAddOns);
  await fleet.until(addons, 'cluster1/probe', (found) => hookMessage(found).includes('failed once and runs again'));
  const second = await fleet.until(managed, key, ({ metadata }) => metadata?.uid !== first.metadata?.uid);
  expect(second.spec?.suspend).toBe(false);
  await gone;
});
