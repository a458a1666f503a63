import assert from 'node:assert/strict';
import { managedClusterAddOns } from '@flotilla/api-types';
import { silentLogger } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { decodeCredentials } from '../../agent/credentials/credential-store.ts';
import type { StoredCredentials } from '../../contract/index.ts';
import type { ConformanceCase, Suite } from './suite.ts';

/** Credentials of add-ons, if the driver has them. */
export function ofAddons({ options, scenario, join, driver }: Suite): ConformanceCase[] {
  const { addon } = options.driver({ bootstrapKubeconfig: 'unused', bootstrapKubeconfigs: [] });
  const registration = {
    type: 'kubeClient',
    driver: addon?.authType ?? '',
    addonName: '',
    user: '',
    groups: [],
  } as const;
  // One that uses the connection of the cluster's agent leads to that agent, not to the hub: its own specs show how.
  if (!addon?.supports(registration) || addon.needsClusterDriver) return [];
  return [
    scenario('gives an add-on credentials for the hub, and removes them with it', async (fleet) => {
      await join(fleet);
      const namespace = 'open-cluster-management-agent-addon';
      await fleet.spoke.client.resource(namespaces).create({ metadata: { name: namespace } });
      const addons = fleet.hub.client.resource(managedClusterAddOns);
      const key = { namespace: 'c1', name: 'work' };
      const created = await addons.create({ metadata: key, spec: {} });
      await addons.status.replace({ ...created, status: { registrations: [{ type: 'kubeClient', kubeClient: {} }] } });
      const find = () => fleet.spoke.client.resource(secrets).find(`${namespace}/work-hub-kubeconfig`);
      const stored = await fleet.eventually(async (): Promise<StoredCredentials> => {
        await options.grant(fleet, 'c1');
        const found = decodeCredentials((await find())?.data);
        assert.equal(found['cluster-name'], 'c1');
        return found;
      });
      const own = (await driver(fleet)).endpointOf((await fleet.stored()) ?? {});
      const issuer = addon.create(
        {
          identity: { clusterName: 'c1', agentName: 'a1' },
          addon: { current: () => created, changes: fleet.bootstrap.changes },
          clock: fleet.clock,
          log: silentLogger,
          random: () => 0,
        },
        { ...registration, addonName: 'work' },
      );
      assert.ok(issuer.evaluate(stored).usable, 'the credentials are those of the add-on');
      assert.equal(issuer.endpointOf(stored)?.server, own?.server, 'they lead to the hub');
      await addons.delete('c1/work');
      await fleet.eventually(async () => assert.equal(await find(), undefined));
    }),
  ];
}
