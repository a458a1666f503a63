import assert from 'node:assert/strict';
import { managedClusterAddOns } from '@flotilla/api-types';
import { silentLogger } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { decodeCredentials } from '../../agent/credentials/credential-store.ts';
import type { BoundAddonDriver } from '../../agent/options/bound-driver.ts';
import type { CredentialIssuer, StoredCredentials } from '../../contract/index.ts';
import type { TestFleet } from '../test-fleet.ts';
import type { ConformanceCase, Suite } from './suite.ts';

const namespace = 'open-cluster-management-agent-addon';
const addonName = 'work';

/** Credentials of add-ons, if the driver has them. */
export function ofAddons(suite: Suite): ConformanceCase[] {
  const { options, scenario, join, driver } = suite;
  const addon = addonDriverOf(suite);
  if (!addon) return [];
  return [
    scenario('gives an add-on credentials for the hub, and removes them with it', async (fleet) => {
      await join(fleet);
      await ask(fleet);
      const stored = await given(suite, fleet);
      const own = (await driver(fleet)).endpointOf((await fleet.stored()) ?? {});
      const issuer = issuerOf(addon, fleet);
      assert.ok(issuer.evaluate(stored).usable, 'the credentials are those of the add-on');
      assert.equal(issuer.endpointOf(stored)?.server, own?.server, 'they lead to the hub');
      await addonsOf(fleet).delete(`c1/${addonName}`);
      await fleet.eventually(async () => assert.equal(await find(fleet), undefined));
    }),
    scenario('keeps the credentials of an add-on over a restart of the agent', async (fleet) => {
      const agent = await join(fleet);
      await ask(fleet);
      const stored = await given(suite, fleet);
      await agent.stop();
      await suite.runs(fleet, fleet.startAgent());
      await fleet.clock.advance(60_000);
      await options.grant(fleet, 'c1');
      await fleet.clock.advance(60_000);
      assert.deepEqual(decodeCredentials((await find(fleet))?.data), stored);
    }),
    scenario('takes the place of credentials that an add-on has by another auth type', async (fleet) => {
      await join(fleet);
      await fleet.spoke.client.resource(namespaces).create({ metadata: { name: namespace } });
      const data = { kubeconfig: 'e30=', other: 'b2xk' };
      await fleet.spoke.client.resource(secrets).create({ metadata: secretKey, data });
      await ask(fleet);
      const stored = await given(suite, fleet);
      assert.ok(issuerOf(addon, fleet).evaluate(stored).usable, 'the credentials are those of the add-on');
      assert.ok(!('other' in stored), 'what the other auth type stored is gone');
    }),
  ];
}

const secretKey = { namespace, name: `${addonName}-hub-kubeconfig` };
const registrationOf = (driver: string) => ({ type: 'kubeClient', driver, addonName, user: '', groups: [] }) as const;
const addonsOf = ({ hub }: TestFleet) => hub.client.resource(managedClusterAddOns);
const find = ({ spoke }: TestFleet) => spoke.client.resource(secrets).find(`${namespace}/${secretKey.name}`);

/** That of the cluster's driver, or else the first beside it. */
function addonDriverOf({ options }: Suite): BoundAddonDriver | undefined {
  const { addon } = options.driver({ bootstrapKubeconfig: 'unused', bootstrapKubeconfigs: [] });
  const found = addon ?? options.addonDrivers?.[0]?.addon;
  // One that uses the connection of the cluster's agent leads to that agent, not to the hub: its own specs show how.
  if (!found || found.needsClusterDriver) return undefined;
  return found.supports(registrationOf(found.authType)) ? found : undefined;
}

const issuerOf = (addon: BoundAddonDriver, fleet: TestFleet): CredentialIssuer =>
  addon.create(
    {
      identity: { clusterName: 'c1', agentName: 'a1' },
      addon: { current: () => undefined, changes: fleet.bootstrap.changes },
      clusterDriver: {},
      clock: fleet.clock,
      log: silentLogger,
      random: () => 0,
    },
    registrationOf(addon.authType),
  );

/** An add-on that asks for access to the hub's API. */
async function ask(fleet: TestFleet): Promise<void> {
  const handle = fleet.spoke.client.resource(namespaces);
  if (!(await handle.find(namespace))) await handle.create({ metadata: { name: namespace } });
  const created = await addonsOf(fleet).create({ metadata: { namespace: 'c1', name: addonName }, spec: {} });
  const registrations = [{ type: 'kubeClient' as const, kubeClient: {} }];
  await addonsOf(fleet).status.replace({ ...created, status: { registrations } });
}

/** What the agent stores for it. */
const given = ({ options }: Suite, fleet: TestFleet): Promise<StoredCredentials> =>
  fleet.eventually(async () => {
    await options.grant(fleet, 'c1');
    const found = decodeCredentials((await find(fleet))?.data);
    assert.equal(found['cluster-name'], 'c1');
    return found;
  });
