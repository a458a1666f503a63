import assert from 'node:assert/strict';
import { managedClusters, RegistrationDriverName } from '@flotilla/api-types';
import { isConditionTrue, KubeError } from '@flotilla/kube';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { authTypeAnnotation, declaredAuthType } from '../../contract/index.ts';
import type { StartedDriver } from '../../hub/index.ts';
import type { TestFleet } from '../test-fleet.ts';
import { connectionOf } from './keeping.ts';
import type { ConformanceCase, Suite } from './suite.ts';

/** What the side of the hub does. */
export function onTheHub(suite: Suite): ConformanceCase[] {
  const { options, scenario, asks, join } = suite;
  const accepted = (name: string, annotations: Record<string, string> = {}) => ({
    metadata: { name, annotations },
    spec: { hubAcceptsClient: true },
  });
  return [
    scenario(
      'leaves nothing on the hub when a cluster is deleted, although the first clean-up fails',
      async (fleet) => {
        const clusters = fleet.hub.client.resource(managedClusters);
        // The namespace of a cluster stays, for what others keep there.
        const objects = async () => (await listAllObjects(fleet.hub.client)).filter((line) => line !== 'Namespace own');
        // Roles that all clusters share come with the first cluster.
        await clusters.create(accepted('first'));
        await fleet.eventually(async () => assert.ok(await isAccepted(fleet, 'first')));
        const before = await objects();
        await clusters.create(accepted('own'));
        await fleet.eventually(async () => assert.ok(await isAccepted(fleet, 'own')));
        assert.notDeepEqual(await objects(), before, 'accepting a cluster leaves something on the hub');
        await clusters.delete('own');
        await fleet.eventually(async () => assert.equal(await clusters.find('own'), undefined), 5000);
        assert.deepEqual(await objects(), before);
      },
      {
        hubGates: {},
        hubDrivers: async (context) => (await options.hubDrivers(context)).map(failingFirstRemoval),
      },
    ),
    scenario("gives a cluster's credentials nothing of another cluster", async (fleet) => {
      await join(fleet);
      const clusters = fleet.hub.client.resource(managedClusters);
      await clusters.create(accepted('c2'));
      await fleet.admin.accept('c2');
      await using connection = await connectionOf(suite, fleet);
      assert.deepEqual(await connection.check(), { connected: true });
      const answer = connection.hub.resource(managedClusters).get('c2');
      await assert.rejects(
        answer,
        (error) => KubeError.is(error, 'Forbidden', 'NotFound'),
        'the subjects of a cluster are its own: those of c2 must not include c1',
      );
    }),
    scenario('declares its auth type on the clusters that its agents register', async (fleet) => {
      fleet.startAgent();
      await asks(fleet);
      const cluster = await fleet.admin.cluster('c1');
      const { authType } = options.driver({ bootstrapKubeconfig: 'unused', bootstrapKubeconfigs: [] });
      const declared = cluster && declaredAuthType(cluster);
      // Clusters that declare nothing register by certificate requests.
      assert.equal(declared ?? RegistrationDriverName.Csr, authType, `decorate sets ${authTypeAnnotation}`);
    }),
    scenario(
      'claims its own clusters beside another driver on one hub, and leaves the others alone',
      async (fleet) => {
        const clusters = fleet.hub.client.resource(managedClusters);
        await clusters.create({
          ...accepted('c2', { [authTypeAnnotation]: 'other' }),
          spec: { hubAcceptsClient: false },
        });
        await fleet.eventually(async () =>
          assert.ok(await isAccepted(fleet, 'c2'), 'the other driver accepts its own'),
        );
        await clusters.create({
          ...accepted('c3', { [authTypeAnnotation]: 'none' }),
          spec: { hubAcceptsClient: false },
        });
        await fleet.clock.advance(60_000);
        const unclaimed = await clusters.get('c3');
        assert.equal(unclaimed.spec?.hubAcceptsClient, false, 'a cluster that no driver claims is not accepted');
      },
      {
        hubGates: { ManagedClusterAutoApproval: true },
        hubDrivers: async (context) => [...(await options.hubDrivers(context)), otherDriver],
      },
    ),
  ];
}

/** A driver beside the one under test. */
const otherDriver: StartedDriver = {
  authType: 'other',
  controllers: [],
  accepts: ({ metadata }) => (metadata?.annotations?.[authTypeAnnotation] === 'other' ? 'accept' : 'not mine'),
  subjects: (name) => [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `other:${name}` }],
  clusterRules: () => [],
};

/** The same driver whose first removal of each cluster fails. */
function failingFirstRemoval(driver: StartedDriver): StartedDriver {
  const { external } = driver;
  if (!external) return driver;
  const failed = new Set<string>();
  return {
    ...driver,
    external: {
      create: (cluster, signal) => external.create(cluster, signal),
      async remove(cluster, signal) {
        const name = cluster.metadata?.name ?? '';
        if (failed.has(name)) return external.remove(cluster, signal);
        failed.add(name);
        throw new Error('the suite lets the first clean-up fail');
      },
    },
  };
}

const isAccepted = async (fleet: TestFleet, name: string): Promise<boolean> =>
  isConditionTrue((await fleet.admin.cluster(name))?.status?.conditions, 'HubAcceptedManagedCluster');
