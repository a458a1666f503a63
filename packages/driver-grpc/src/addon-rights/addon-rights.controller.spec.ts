import { AddOnRole, managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, runControllers } from '@flotilla/kube';
import { clusterRoles, namespaces } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addonRightsController } from './addon-rights.controller.ts';

const kinds = ['ManagedCluster', 'ManagedClusterAddOn'];
const group = 'system:open-cluster-management:cluster:c1:addon:a';
const byGrpc = { 'agent.open-cluster-management.io/registration-auth': 'grpc' };
const clock = new FakeClock();
let plane: ControlPlane;
let end: AbortController;
let ended: Promise<void>;
beforeEach(async () => {
  const crds = customResourceDefinitions().filter(({ spec }) => kinds.includes(spec.names.kind));
  plane = await startControlPlane({ listen: false, clock, crds });
  const { name } = { name: AddOnRole.of('c1') };
  await plane.client.resource(clusterRoles).create({ metadata: { name, labels: AddOnRole.labels } });
  const informers = createInformers({ client: plane.client, clock });
  end = new AbortController();
  ended = runControllers([addonRightsController({ informers })], { signal: end.signal, clock });
});
afterEach(async () => {
  end.abort();
  await ended;
  await plane.stop();
});

const addOns = () => plane.client.resource(managedClusterAddOns);
const clusters = () => plane.client.resource(managedClusters);
async function createCluster(name: string, annotations: Record<string, string>): Promise<void> {
  await plane.client.resource(namespaces).create({ metadata: { name } });
  await clusters().create({ metadata: { name, annotations }, spec: { hubAcceptsClient: true } });
}
async function register(key: string, subject: { user?: string; groups?: string[] } = {}): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  if (!(await addOns().find(key))) await addOns().create({ metadata: { namespace, name }, spec: {} });
  const registrations = [{ type: 'kubeClient', kubeClient: { subject } }];
  await addOns().status.patch(key, { type: 'merge', body: { status: { registrations } } });
}
const rules = async () => {
  await clock.settle();
  return (await plane.client.resource(clusterRoles).get(AddOnRole.of('c1'))).rules ?? [];
};
const named = (users: string[], groups: string[]) =>
  [
    { resources: ['users'], resourceNames: users },
    { resources: ['groups'], resourceNames: groups },
  ].map((rule) => ({ apiGroups: [''], verbs: ['impersonate'], ...rule }));

it('grants the server to act for an add-on by its names, as long as it is registered', async () => {
  await createCluster('c1', byGrpc);
  await register('c1/a');
  await expect.poll(rules).toEqual(named([`${group}:agent:a`], [group]));
  await register('c1/a', { user: `${group}:agent:x`, groups: ['system:open-cluster-management:addon:a', group] });
  await expect
    .poll(rules)
    .toEqual(named([`${group}:agent:x`], ['system:open-cluster-management:addon:a', group].sort()));
  await addOns().delete('c1/a');
  await expect.poll(rules).toEqual([]);
});

it('grants nothing for anybody that is not the add-on, whatever its status says', async () => {
  await createCluster('c1', byGrpc);
  await register('c1/a');
  await expect.poll(rules).toHaveLength(2);
  await register('c1/a', { groups: ['system:masters'] });
  await expect.poll(rules).toEqual([]);
});

it('grants nothing for clusters that are not accepted, or registered otherwise', async () => {
  await createCluster('c1', byGrpc);
  await register('c1/a');
  await expect.poll(rules).toHaveLength(2);
  await clusters().patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
  await expect.poll(rules).toEqual([]);
  await clusters().patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
  await expect.poll(rules).toHaveLength(2);
  await clusters().patch('c1', {
    type: 'merge',
    body: { metadata: { annotations: { [Object.keys(byGrpc)[0] ?? '']: 'csr' } } },
  });
  await expect.poll(rules).toEqual([]);
});
