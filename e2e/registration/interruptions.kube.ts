import { Label, managedClusters } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
} from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from './fleet.ts';
import type { Program } from './program.ts';
import { type MortalServer, serverKinds, startMortalServer } from './servers.ts';

/** What can be seen on the hub, in the order in which a join writes it. The hub is killed the moment that it is seen. */
interface Step {
  readonly step: string;
  readonly seen: (fleet: Fleet, name: string) => Promise<unknown>;
}

const is = <T extends KubeObject>(
  what: string,
  type: ResourceType<T>,
  isIt: (object: T, name: string) => boolean,
): Step => ({
  step: what,
  seen: (fleet, name) => fleet.admin.seen.until(type, `${what} (${name})`, (object) => isIt(object, name)),
});
const isOf = ({ metadata }: KubeObject, name: string) => metadata?.labels?.[Label.ClusterName] === name;
const condition = (type: string): Step =>
  is(
    type,
    managedClusters,
    ({ metadata, status }, name) => metadata?.name === name && isConditionTrue(status?.conditions, type),
  );
const finalizer = (what: string, text: string): Step =>
  is(
    what,
    managedClusters,
    ({ metadata }, name) => metadata?.name === name && JSON.stringify(metadata.finalizers ?? []).includes(text),
  );

/** Until the administrator accepts, and afterwards. */
const asking: readonly Step[] = [
  is('ManagedCluster', managedClusters, ({ metadata }, name) => metadata?.name === name),
  finalizer('finalizer for resources', '/resource-cleanup'),
  is('certificate request', certificateSigningRequests, isOf),
];
const accepting: readonly Step[] = [
  is(
    'certificate',
    certificateSigningRequests,
    (request, name) => isOf(request, name) && !!request.status?.certificate,
  ),
  is('Namespace', namespaces, ({ metadata }, name) => metadata?.name === name),
  finalizer('finalizer for rights', '/api-resource-cleanup'),
  is('ClusterRole', clusterRoles, isOf),
  is('ClusterRoleBinding', clusterRoleBindings, isOf),
  is(
    'RoleBinding for registration',
    roleBindings,
    (object, name) => isOf(object, name) && nameEnds(object, ':registration'),
  ),
  is('RoleBinding for works', roleBindings, (object, name) => isOf(object, name) && nameEnds(object, ':work')),
  condition('HubAcceptedManagedCluster'),
  is(
    'lease',
    leases,
    ({ metadata }, name) => metadata?.namespace === name && metadata.name === 'managed-cluster-lease',
  ),
  condition('ManagedClusterJoined'),
  condition('ManagedClusterConditionAvailable'),
];
const nameEnds = ({ metadata }: KubeObject, text: string) => metadata?.name?.endsWith(text) === true;

describe.each(serverKinds)('on %s, a join is interrupted', (kind) => {
  let server: MortalServer;
  let fleet: Fleet;
  let isWrong = false;
  beforeAll(async () => {
    server = await startMortalServer(kind);
    fleet = await startFleet(server);
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet.logs());
    await fleet?.[Symbol.asyncDispose]();
  });

  /** All that a joined cluster has, and nothing twice. */
  const expectWhole = async (name: string) => {
    const selector = { labelSelector: `${Label.ClusterName}=${name}` };
    const count = async (type: ResourceType<KubeObject>) =>
      (await server.client.resource(type).list(selector)).items.length;
    expect(await count(certificateSigningRequests)).toBe(1);
    expect(await count(namespaces)).toBe(1);
    expect(await count(clusterRoles)).toBe(1);
    expect(await count(clusterRoleBindings)).toBe(1);
    expect(await count(roleBindings)).toBe(2);
  };

  it('by the death of the hub at each step, and comes to the same end', { timeout: 400_000 }, async () => {
    let hub: Program | undefined;
    for (const [index, { step, seen }] of [...asking, ...accepting].entries()) {
      hub ??= fleet.startHub();
      const name = `step-${index}`;
      const cluster = await fleet.newCluster();
      const agent = cluster.startAgent(name);
      const isEarly = index < asking.length;
      const killed = seen(fleet, name).then(() => hub?.end('SIGKILL'));
      if (isEarly) await killed;
      const admitted = fleet.admin.admit(name);
      await killed;
      hub = fleet.startHub();
      await admitted;
      await fleet.admin.joined(name).catch((error: unknown) => {
        throw new Error(`after the hub was killed at ${step}`, { cause: error });
      });
      await expectWhole(name);
      expect(agent.running).toBe(true);
      await agent.end('SIGKILL');
    }
    await hub?.end('SIGKILL');
  });

  it('by the death of the API server while clusters are at different steps, and comes to the same end', async () => {
    const hub = fleet.startHub();
    const names = ['asked', 'accepted', 'approved', 'admitted', 'joined'];
    const agents = await Promise.all(names.map(async (name) => (await fleet.newCluster()).startAgent(name)));
    await Promise.all(names.map((name) => fleet.admin.asked(name)));
    await Promise.all([fleet.admin.accept('accepted'), fleet.admin.approve('approved'), fleet.admin.admit('joined')]);
    await fleet.admin.joined('joined');
    await fleet.admin.admit('admitted');
    await server.kill();
    await server.start();
    await Promise.all([fleet.admin.admit('asked'), fleet.admin.approve('accepted'), fleet.admin.accept('approved')]);
    for (const name of names) {
      await fleet.admin.joined(name);
      await expectWhole(name);
    }
    expect([hub, ...agents].map(({ running }) => running)).toEqual([hub, ...agents].map(() => true));
  });
});
