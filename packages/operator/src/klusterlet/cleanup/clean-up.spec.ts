import { type AppliedManifestWork, appliedManifestWorks, klusterlets } from '@flotilla/api-types';
import { startControlPlane } from '@flotilla/control-plane';
import { findCondition } from '@flotilla/kube';
import {
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  secrets,
} from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { kubeconfigOf, putSecret } from '../fixtures/kubeconfigs.ts';
import { type RunningOperator, startOperator } from '../fixtures/running-operator.ts';

const finalizer = 'cluster.open-cluster-management.io/applied-manifest-work-cleanup';
const addOns = 'open-cluster-management-agent-addon';
const hosted = { clusterName: 'c1', namespace: 'open-cluster-management-h1', deployOption: { mode: 'Hosted' } };

const work = (name: string, agentID: string): AppliedManifestWork => ({
  metadata: { name, finalizers: [finalizer] },
  spec: { agentID, hubHash: 'h', manifestWorkName: name },
});

const remove = async (operator: RunningOperator, name = 'klusterlet') => {
  await operator.plane.client.resource(klusterlets).delete(name);
  await operator.quiet();
};

const isGone = async ({ plane }: RunningOperator, name = 'klusterlet') =>
  (await plane.client.resource(klusterlets).find(name)) === undefined;

describe('a klusterlet that is deleted', () => {
  it('[cli D27] leaves nothing but definitions, what works applied, and works of other agents', async () => {
    await using operator = await startOperator();
    const { client } = operator.plane;
    const before = await listAllObjects(client);
    const { metadata } = await operator.create();
    const works = client.resource(appliedManifestWorks);
    const own = await works.create(work('mine', metadata?.uid ?? ''));
    await works.create(work('other', 'another-agent'));
    const ownerReferences = [
      {
        apiVersion: 'work.open-cluster-management.io/v1',
        kind: 'AppliedManifestWork',
        name: 'mine',
        uid: own.metadata?.uid ?? '',
      },
    ];
    await client.resource(configMaps).create({ metadata: { namespace: 'default', name: 'applied', ownerReferences } });
    await putSecret(operator, 'open-cluster-management-agent/hub-kubeconfig-secret', { kubeconfig: 'x' });
    await remove(operator);
    expect(await isGone(operator)).toBe(true);
    expect(await works.find('mine')).toBeUndefined();
    expect((await works.get('other')).metadata?.finalizers).toEqual([finalizer]);
    expect(await client.resource(configMaps).find('default/applied')).toBeDefined();
    const left = (await listAllObjects(client)).filter(
      (text) => !before.includes(text) && !text.startsWith('APIService '),
    );
    expect(left.sort()).toEqual([
      'AppliedManifestWork other',
      'ConfigMap default/applied',
      'CustomResourceDefinition appliedmanifestworks.work.open-cluster-management.io',
      'CustomResourceDefinition clusterclaims.cluster.open-cluster-management.io',
    ]);
    const definition = await client
      .resource(customResourceDefinitions)
      .get('clusterclaims.cluster.open-cluster-management.io');
    expect(definition.metadata?.annotations ?? {}).not.toHaveProperty('operator.open-cluster-management.io/version');
  });

  it('[cli D31] keeps the namespace of add-ons for another klusterlet of the cluster', async () => {
    await using operator = await startOperator();
    await operator.create();
    await operator.create({ clusterName: 'c2', namespace: 'open-cluster-management-other' }, 'other');
    await remove(operator);
    const handle = operator.plane.client.resource(namespaces);
    expect((await handle.get(addOns)).metadata?.deletionTimestamp).toBeUndefined();
    expect(await handle.find('open-cluster-management-agent')).toBeUndefined();
    await remove(operator, 'other');
    expect(await handle.find(addOns)).toBeUndefined();
  });

  it('[cli D28] and was hosted leaves nothing on either cluster', async () => {
    await using operator = await startOperator();
    await using managed = await startControlPlane({ listen: false, clock: operator.clock });
    operator.servers.set('https://managed', managed);
    const before = { here: await listAllObjects(operator.plane.client), there: await listAllObjects(managed.client) };
    await operator.create(hosted, 'h1');
    await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
    expect(await managed.client.resource(clusterRoles).find('open-cluster-management:h1-work:agent')).toBeDefined();
    await remove(operator, 'h1');
    expect(await isGone(operator, 'h1')).toBe(true);
    const isNew = (list: string[]) => (text: string) => !list.includes(text) && !text.startsWith('APIService ');
    expect((await listAllObjects(operator.plane.client)).filter(isNew(before.here))).toEqual([]);
    expect((await listAllObjects(managed.client)).filter(isNew(before.there)).sort()).toEqual([
      'CustomResourceDefinition appliedmanifestworks.work.open-cluster-management.io',
      'CustomResourceDefinition clusterclaims.cluster.open-cluster-management.io',
    ]);
  });

  it('[cli D29] and was hosted waits for its kubeconfig, and says so', async () => {
    await using operator = await startOperator();
    await using managed = await startControlPlane({ listen: false, clock: operator.clock });
    operator.servers.set('https://managed', managed);
    await operator.create(hosted, 'h1');
    await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
    await operator.plane.client.resource(secrets).delete('h1/external-managed-kubeconfig');
    await operator.quiet();
    await remove(operator, 'h1');
    const { status } = await operator.klusterlet('h1');
    expect(findCondition(status?.conditions, 'ReadyToApply')?.message).toContain(
      'The removal waits for Secret h1/external-managed-kubeconfig',
    );
    expect(await managed.client.resource(clusterRoles).find('open-cluster-management:h1-work:agent')).toBeDefined();
    await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
    expect(await isGone(operator, 'h1')).toBe(true);
    expect(await managed.client.resource(clusterRoles).find('open-cluster-management:h1-work:agent')).toBeUndefined();
  });

  it('[cli D30] and was hosted goes without its cluster when that is out of reach for five minutes', async () => {
    await using operator = await startOperator();
    await using managed = await startControlPlane({ listen: false, clock: operator.clock });
    operator.servers.set('https://managed', managed);
    await operator.create(hosted, 'h1');
    await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
    operator.servers.delete('https://managed');
    await remove(operator, 'h1');
    const stamp = 'operator.open-cluster-management.io/managed-resources-eviction-timestamp';
    const { metadata, status } = await operator.klusterlet('h1');
    expect(metadata?.annotations?.[stamp]).toBe('2026-01-01T00:00:00Z');
    expect(findCondition(status?.conditions, 'ReadyToApply')?.message).toMatch(
      /cannot be reached.*At 2026-01-01T00:05:00Z/s,
    );
    await operator.pass(4 * 60_000);
    expect(await isGone(operator, 'h1')).toBe(false);
    await operator.pass(61_000);
    expect(await isGone(operator, 'h1')).toBe(true);
    expect(await operator.plane.client.resource(namespaces).find('h1')).toBeUndefined();
  });

  it('and was hosted gets its five minutes also when the clock is set forward', async () => {
    await using operator = await startOperator();
    await using managed = await startControlPlane({ listen: false, clock: operator.clock });
    operator.servers.set('https://managed', managed);
    await operator.create(hosted, 'h1');
    await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
    operator.servers.delete('https://managed');
    await remove(operator, 'h1');
    operator.clock.jump(3_600_000);
    await operator.pass(4 * 60_000);
    expect(await isGone(operator, 'h1')).toBe(false);
    await operator.pass(61_000);
    expect(await isGone(operator, 'h1')).toBe(true);
  });

  it('waits a minute for the pods of its agents, also when the clock is set forward', async () => {
    await using operator = await startOperator();
    await operator.create();
    const handle = operator.plane.client.resource(deployments);
    const name = 'open-cluster-management-agent/klusterlet-work-agent';
    await handle.patch(name, { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } });
    await remove(operator);
    operator.clock.jump(3_600_000);
    const wake = { type: 'merge', body: { metadata: { labels: { changed: 'yes' } } } } as const;
    await operator.plane.client.resource(klusterlets).patch('klusterlet', wake);
    await operator.pass(30_000);
    expect(await isGone(operator)).toBe(false);
    await operator.pass(31_000);
    expect(await isGone(operator)).toBe(true);
  });

  it('and was hosted is removed to the end by the next operator, if the one before it ends in the last steps', {
    // Five installations, one after the other.
    timeout: 150_000,
  }, async () => {
    await using operator = await startOperator();
    await using managed = await startControlPlane({ listen: false, clock: operator.clock });
    operator.servers.set('https://managed', managed);
    const install = async () => {
      await operator.create(hosted, 'h1');
      await putSecret(operator, 'h1/external-managed-kubeconfig', { kubeconfig: kubeconfigOf('https://managed') });
      operator.takeWrites();
    };
    await install();
    await remove(operator, 'h1');
    const all = operator.takeWrites().length;
    for (const missing of [1, 2, 3, 4]) {
      await install();
      operator.killAfter(all - missing);
      await remove(operator, 'h1');
      await operator.restart();
      await operator.quiet();
      expect(await isGone(operator, 'h1'), `without the last ${missing} writes`).toBe(true);
    }
    expect(await managed.client.resource(clusterRoles).find('open-cluster-management:h1-work:agent')).toBeUndefined();
  });
});
