import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { configMaps } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { passphraseDriver, userOf } from '../../examples/passphrase-driver.ts';
import { bindDriver } from '../agent/index.ts';
import type { ExternalPermissions } from '../contract/index.ts';
import { startDrivers } from '../hub/index.ts';
import { type ConformanceOptions, driverConformance } from './index.ts';

const passphrase = 'open sesame';
const kinds = [
  'ManagedCluster',
  'ManagedClusterAddOn',
  'ManagedClusterSet',
  'ManagedClusterSetBinding',
  'ManifestWork',
];
const crds = customResourceDefinitions().filter(({ spec }) => kinds.includes(spec.names.kind));

const thirdParty: ConformanceOptions = {
  startPlane: (clock) => startControlPlane({ listen: false, clock, crds }),
  driver: (flags) => bindDriver(passphraseDriver, { ...flags, passphrase }),
  hubDrivers: (context) => startDrivers([passphraseDriver], { ...context, options: {} }),
  authenticate: ({ authorization = '' }, now) => userOf(authorization, passphrase, now),
  grant: async () => {},
  renewalAfterMs: 50 * 60_000,
  refreshes: true,
};

describe('the driver of a third party, as every driver,', () => {
  for (const { name, run } of driverConformance(thirdParty)) it(name, run);
});

describe('the suite for drivers', () => {
  const found = (name: string, options: Partial<ConformanceOptions>) =>
    driverConformance({ ...thirdParty, ...options }).find((one) => one.name.startsWith(name));

  /** A hub driver that keeps a ConfigMap per cluster, as if that were outside of the hub. */
  const keeping =
    (remove: (maps: Maps, name: string) => Promise<void>): ConformanceOptions['hubDrivers'] =>
    async (context) => {
      const maps = context.client.resource(configMaps);
      const external: ExternalPermissions = {
        async create({ metadata }) {
          const name = `kept-${metadata?.name}`;
          if (!(await maps.find(`default/${name}`))) await maps.create({ metadata: { namespace: 'default', name } });
          return { kind: 'done' };
        },
        async remove({ metadata }) {
          await remove(maps, `default/kept-${metadata?.name}`);
          return { kind: 'done' };
        },
      };
      const [driver] = await startDrivers([passphraseDriver], { ...context, options: {} });
      return driver ? [{ ...driver, accepts: () => 'accept', external }] : [];
    };
  type Maps = ReturnType<Parameters<ConformanceOptions['hubDrivers']>[0]['client']['resource']>;

  it('finds nothing wrong with a driver that removes what it made', async () => {
    const hubDrivers = keeping(async (maps, key) => maps.delete(key));
    await found('leaves nothing on the hub', { hubDrivers })?.run();
  });

  it.each<[string, (maps: Maps, key: string) => Promise<void>]>([
    ['leaves something on the hub', async () => {}],
    ['removes what belongs to another cluster', async (maps) => maps.delete('default/kept-first')],
  ])('finds a driver that %s', async (_, remove) => {
    const hubDrivers = keeping(remove);
    await expect(found('leaves nothing on the hub', { hubDrivers })?.run()).rejects.toThrow('Expected values');
  });

  it('finds a driver whose subjects are those of all clusters', async () => {
    const all = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' }];
    const hubDrivers: ConformanceOptions['hubDrivers'] = async (context) => {
      const [driver] = await startDrivers([passphraseDriver], { ...context, options: {} });
      return driver ? [{ ...driver, subjects: () => all }] : [];
    };
    await expect(found("gives a cluster's credentials nothing", { hubDrivers })?.run()).rejects.toThrow(
      'those of c2 must not include c1',
    );
  });

  it('finds a driver that does not declare its auth type', async () => {
    const driver: ConformanceOptions['driver'] = (flags) => {
      const bound = thirdParty.driver(flags);
      return {
        ...bound,
        async agent(context) {
          const agent = await bound.agent?.(context);
          if (!agent) throw new Error('the driver has an agent');
          return { ...agent, decorate: (cluster) => cluster };
        },
      };
    };
    await expect(found('declares its auth type', { driver })?.run()).rejects.toThrow('decorate sets');
  });

  it('finds a driver that claims the clusters of another', async () => {
    const hubDrivers: ConformanceOptions['hubDrivers'] = async (context) => {
      const [driver] = await startDrivers([passphraseDriver], { ...context, options: {} });
      return driver ? [{ ...driver, accepts: () => 'accept' }] : [];
    };
    const suite = found('claims its own clusters', { hubDrivers });
    await expect(suite?.run()).rejects.toThrow('a cluster that no driver claims is not accepted');
  });
});
