import { klusterlets } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import {
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  nodes,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { argsOf, deploymentNames, rollOut } from './fixtures/agents.ts';
import { startOperator } from './fixtures/running-operator.ts';

const agent = 'open-cluster-management-agent';
const addOns = 'open-cluster-management-agent-addon';
const both = [`${agent}/klusterlet-registration-agent`, `${agent}/klusterlet-work-agent`];

describe('a klusterlet', () => {
  it.each(['Default', ''])(
    '[cli D01, D34] of the mode "%s" has its namespaces, rights and two agents',
    async (mode) => {
      await using operator = await startOperator();
      const { status, metadata } = await operator.create({ clusterName: 'c1', deployOption: { mode } });
      expect(findCondition(status?.conditions, 'Applied')).toMatchObject({
        status: 'True',
        reason: 'KlusterletApplied',
        message: 'Klusterlet Component Applied',
      });
      expect(metadata?.finalizers).toEqual(['operator.open-cluster-management.io/klusterlet-cleanup']);
      expect(await deploymentNames(operator)).toEqual(both);
      expect(status?.relatedResources).toHaveLength(24);
      expect(status?.observedGeneration).toBe(1);
      const { client } = operator.plane;
      expect(await client.resource(namespaces).find(addOns)).toBeDefined();
      const own = await client.resource(namespaces).get(agent);
      expect(own.metadata).toMatchObject({
        labels: { 'operator.open-cluster-management.io/klusterlet': 'klusterlet' },
        annotations: { 'workload.openshift.io/allowed': 'management' },
      });
      const aggregate = await client.resource(clusterRoles).get('open-cluster-management:klusterlet-work:aggregate');
      expect(aggregate.rules?.length).toBeGreaterThan(0);
    },
  );

  it('[cli D02] of the mode Singleton has one agent, with the account of works', async () => {
    await using operator = await startOperator();
    const { status } = await operator.create({ clusterName: 'c1', deployOption: { mode: 'Singleton' } });
    expect(await deploymentNames(operator)).toEqual([`${agent}/klusterlet-agent`]);
    expect(status?.relatedResources).toHaveLength(22);
    const { items } = await operator.plane.client.resource(serviceAccounts).list({ namespace: agent });
    const names = items.map((one) => one.metadata?.name).filter((name) => name !== 'default');
    expect(names).toEqual(['klusterlet-work-sa']);
  });

  it('writes nothing when all is as it should be, also after a restart', async () => {
    await using operator = await startOperator();
    await operator.create();
    operator.takeWrites();
    await operator.restart();
    await operator.plane.client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await operator.quiet();
    expect(operator.takeWrites()).toEqual([]);
  });

  it('[cli D09] has three replicas with three nodes of the control plane', async () => {
    await using operator = await startOperator();
    for (const name of ['a', 'b', 'c']) {
      await operator.plane.client
        .resource(nodes)
        .create({ metadata: { name, labels: { 'node-role.kubernetes.io/control-plane': '' } } });
    }
    await operator.create();
    const replicas = async () => (await operator.plane.client.resource(deployments).get(both[0] ?? '')).spec?.replicas;
    expect(await replicas()).toBe(3);
    for (const name of ['b', 'c']) await operator.plane.client.resource(nodes).delete(name);
    await operator.quiet();
    expect(await replicas()).toBe(1);
  });

  it('[cli D09] has the replicas that the operator was started with', async () => {
    await using operator = await startOperator({ replicas: 2 });
    await operator.create();
    expect((await operator.plane.client.resource(deployments).get(both[0] ?? '')).spec?.replicas).toBe(2);
  });

  it('[cli D07, D08] starts its work agent with the name and the credentials that registration stores', async () => {
    await using operator = await startOperator();
    const { status } = await operator.create({});
    expect(await deploymentNames(operator)).toEqual(both.slice(0, 1));
    expect(findCondition(status?.conditions, 'Applied')).toMatchObject({
      status: 'False',
      reason: 'KlusterletApplyFailed',
    });
    const handle = operator.plane.client.resource(secrets);
    const data = { 'cluster-name': Buffer.from('c7').toString('base64') };
    const metadata = { name: 'hub-kubeconfig-secret', namespace: agent };
    await handle.create({ metadata, data });
    await operator.quiet();
    expect(await argsOf(operator, both[1] ?? '')).toContain('--spoke-cluster-name=c7');
    const replicas = async () => (await operator.plane.client.resource(deployments).get(both[1] ?? '')).spec?.replicas;
    expect(await replicas()).toBe(1);
    expect(findCondition((await operator.klusterlet()).status?.conditions, 'Applied')?.status).toBe('True');
    await operator.plane.client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { spec: { clusterName: 'c7' } } });
    await handle.delete(`${agent}/hub-kubeconfig-secret`);
    await operator.quiet();
    expect(await replicas()).toBe(0);
  });

  it('[cli D10] follows a new name of its cluster', async () => {
    await using operator = await startOperator();
    await operator.create();
    await operator.plane.client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { spec: { clusterName: 'c2' } } });
    await operator.quiet();
    for (const key of both) expect(await argsOf(operator, key)).toContain('--spoke-cluster-name=c2');
    expect((await operator.klusterlet()).status?.observedGeneration).toBe(2);
  });

  it('[cli D11] reverts what others change, and records the generation', async () => {
    await using operator = await startOperator();
    await operator.create();
    const handle = operator.plane.client.resource(deployments);
    const edited = await handle.get(both[1] ?? '');
    const container = edited.spec?.template.spec?.containers[0];
    if (container) container.image = 'evil';
    await handle.replace(edited);
    await operator.quiet();
    const reverted = await handle.get(both[1] ?? '');
    expect(reverted.spec?.template.spec?.containers[0]?.image).toBe('flotilla/agent:test');
    const { generations } = (await operator.klusterlet()).status ?? {};
    expect(generations?.find(({ name }) => name === 'klusterlet-work-agent')?.lastGeneration).toBe(
      reverted.metadata?.generation,
    );
    const roles = operator.plane.client.resource(clusterRoles);
    await roles.delete('open-cluster-management:klusterlet-work:agent');
    await operator.quiet();
    expect(await roles.find('open-cluster-management:klusterlet-work:agent')).toBeDefined();
  });

  it('[cli D15] says which feature gates do not exist, and goes on', async () => {
    await using operator = await startOperator();
    const { status } = await operator.create({
      clusterName: 'c1',
      registrationConfiguration: { featureGates: [{ feature: 'Foo', mode: 'Enable' }] },
      workConfiguration: { featureGates: [{ feature: 'Bar', mode: 'Enable' }] },
    });
    expect(findCondition(status?.conditions, 'ValidFeatureGates')).toMatchObject({
      status: 'False',
      reason: 'InvalidFeatureGatesExisting',
      message: expect.stringContaining('Registration: [Foo], Work: [Bar]'),
    });
    expect(await deploymentNames(operator)).toEqual(both);
  });

  it('says what is wrong with a spec that cannot be carried out, and changes nothing', async () => {
    await using operator = await startOperator();
    const { status } = await operator.create({ deployOption: { mode: 'Remote' } });
    expect(findCondition(status?.conditions, 'Applied')).toMatchObject({
      status: 'False',
      reason: 'KlusterletApplyFailed',
      message: expect.stringMatching(/^spec\.deployOption\.mode is "Remote"/),
    });
    expect(await deploymentNames(operator)).toEqual([]);
  });

  it('[cli D22] with the gate ClusterProperty has its definition', async () => {
    await using operator = await startOperator();
    const handle = operator.plane.client.resource(customResourceDefinitions);
    await operator.create();
    expect(await handle.find('clusterproperties.about.k8s.io')).toBeUndefined();
    const registrationConfiguration = { featureGates: [{ feature: 'ClusterProperty', mode: 'Enable' }] };
    await operator.plane.client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { spec: { registrationConfiguration } } });
    await operator.quiet();
    expect(await handle.find('clusterproperties.about.k8s.io')).toBeDefined();
    await handle.delete('clusterclaims.cluster.open-cluster-management.io');
    await operator.quiet();
    expect(await handle.find('clusterclaims.cluster.open-cluster-management.io')).toBeDefined();
  });

  it('[cli D23] leaves the namespace of add-ons alone if the operator shall', async () => {
    await using operator = await startOperator({ managesAddOnNamespace: false });
    await operator.create();
    const handle = operator.plane.client.resource(namespaces);
    expect(await handle.find(addOns)).toBeUndefined();
    await handle.create({ metadata: { name: addOns } });
    await operator.plane.client.resource(klusterlets).delete('klusterlet');
    await operator.quiet();
    expect((await handle.get(addOns)).metadata?.deletionTimestamp).toBeUndefined();
  });

  it('[cli D26] moves to another namespace, and its old one goes when the new one is complete', async () => {
    await using operator = await startOperator();
    await operator.create();
    const moved = 'open-cluster-management-moved';
    await operator.plane.client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { spec: { namespace: moved } } });
    await operator.quiet();
    expect(await deploymentNames(operator)).toContain(`${moved}/klusterlet-registration-agent`);
    const handle = operator.plane.client.resource(namespaces);
    await rollOut(operator);
    expect((await handle.find(agent))?.metadata?.deletionTimestamp ?? 'gone').toBeDefined();
    expect(await deploymentNames(operator)).toEqual([
      `${moved}/klusterlet-registration-agent`,
      `${moved}/klusterlet-work-agent`,
    ]);
    expect((await handle.get(addOns)).metadata?.deletionTimestamp).toBeUndefined();
  });

  it('[cli D32] switches from two agents to one, and the two stay until the one works', async () => {
    await using operator = await startOperator();
    await operator.create();
    await rollOut(operator);
    const mode = (value: string) =>
      operator.plane.client
        .resource(klusterlets)
        .patch('klusterlet', { type: 'merge', body: { spec: { deployOption: { mode: value } } } });
    await mode('Singleton');
    await operator.quiet();
    expect(await deploymentNames(operator)).toEqual([`${agent}/klusterlet-agent`, ...both]);
    await rollOut(operator);
    expect(await deploymentNames(operator)).toEqual([`${agent}/klusterlet-agent`]);
    const accounts = operator.plane.client.resource(serviceAccounts);
    expect(await accounts.find(`${agent}/klusterlet-registration-sa`)).toBeUndefined();
    expect((await operator.klusterlet()).status?.relatedResources).toHaveLength(22);
    await mode('Default');
    await operator.quiet();
    await rollOut(operator);
    expect(await deploymentNames(operator)).toEqual(both);
    expect((await operator.klusterlet()).status?.relatedResources).toHaveLength(24);
  });

  it('puts its labels on its objects if the operator shall, but those that say who made them', async () => {
    await using operator = await startOperator({ syncsLabels: true });
    const labels = { team: 'a', app: 'x', 'open-cluster-management.io/x': 'y' };
    await operator.plane.client
      .resource(klusterlets)
      .create({ metadata: { name: 'klusterlet', labels }, spec: { clusterName: 'c1' } });
    await operator.quiet();
    const made = await operator.plane.client.resource(deployments).get(both[0] ?? '');
    expect(made.metadata?.labels).toEqual({
      app: 'klusterlet-registration-agent',
      team: 'a',
      'open-cluster-management.io/created-by-klusterlet': 'klusterlet',
    });
  });
});
