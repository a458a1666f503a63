import { Label } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { adc, placement } from '../fixtures/hub.ts';
import { deployment, templateOf, workload } from './fixtures/template.ts';
import { allow, kubeClient, start, templates } from './fixtures/template-hub.ts';

describe('an add-on that consists of a template', () => {
  it('[addons 132] goes on when what offers it is gone and clusters still have it', async () => {
    await using hub = await start(['c1', 'c2']);
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.create({ defaultConfigs: [{ ...templates, name: 'hello-1' }] });
    await hub.enable('c1', 'c2');
    expect(await hub.deployed('c1')).toHaveLength(1);
    expect((await hub.addOn('c1')).status).toMatchObject({ namespace: 'own', healthCheck: { mode: 'Customized' } });
    // As if another owner kept them: otherwise they would go with what offers them.
    for (const cluster of ['c1', 'c2']) {
      const { metadata } = await hub.addOn(cluster);
      await hub.changeAddOn(cluster, {
        metadata: { ownerReferences: null, resourceVersion: metadata?.resourceVersion },
      });
    }
    await hub.cmas.delete('hello', { propagationPolicy: 'Orphan' });
    await hub.manager.quiet();
    expect(await hub.installed()).toEqual(['c1', 'c2']);
    await hub.works.delete('c1/addon-hello-deploy-0');
    await hub.manager.quiet();
    expect(await hub.deployed('c1')).toHaveLength(1);
  });

  it('is served also when the manager starts after what offered it is gone, while a cluster has it', async () => {
    await using hub = await start(['c1']);
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.create({ defaultConfigs: [{ ...templates, name: 'hello-1' }] });
    await hub.enable('c1');
    await hub.cmas.delete('hello', { propagationPolicy: 'Orphan' });
    await hub.manager.restart();
    await hub.works.delete('c1/addon-hello-deploy-0');
    await hub.manager.quiet();
    expect(await hub.deployed('c1')).toHaveLength(1);
  });

  it('[addons 130, Q12] binds roles in the namespace of the cluster and in another one, and takes the latter along with the last cluster', async () => {
    await using hub = await start(['c1', 'c2']);
    await allow(hub.manager, 'reader');
    await allow(hub.manager, 'writer');
    const apiGroup = 'rbac.authorization.k8s.io';
    const permissions = [
      { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reader' } },
      { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'writer' } },
      {
        type: 'SingleNamespace',
        singleNamespace: { namespace: 'ns', roleRef: { apiGroup, kind: 'ClusterRole', name: 'reader' } },
      },
    ];
    await hub.template('hello-1', templateOf([deployment('hello')], kubeClient(permissions)));
    await hub.create({ defaultConfigs: [{ ...templates, name: 'hello-1' }] });
    await hub.enable('c1', 'c2');
    await hub.manager.quiet();
    const name = 'open-cluster-management:hello:clusterrole:agent';
    const own = await hub.bindings.get(`c1/${name}`);
    const agent = 'system:open-cluster-management:cluster:c1:addon:hello';
    expect(own.metadata).toMatchObject({
      labels: { [Label.AddOnName]: 'hello', [Label.AddOnTemplateName]: '' },
      ownerReferences: [{ kind: 'ManagedClusterAddOn', name: 'hello' }],
    });
    expect(own.subjects?.map((subject) => `${subject.kind} ${subject.name}`).sort()).toEqual([
      `Group ${agent}`,
      `User ${agent}:agent:hello-agent`,
    ]);
    const inCluster = (await hub.bindings.list({ namespace: 'c1' })).items.map(({ roleRef }) => roleRef.name);
    expect(inCluster.sort()).toEqual(['reader', 'writer']);
    const shared = await hub.bindings.get(`ns/${name}`);
    expect(shared.metadata?.ownerReferences).toBeUndefined();
    const users = (subjects = shared.subjects) =>
      subjects?.filter(({ kind }) => kind === 'User').map((one) => one.name);
    expect(users()).toEqual([`${agent}:agent:hello-agent`, `${agent.replace('c1', 'c2')}:agent:hello-agent`]);
    await hub.disable('c1');
    expect(users((await hub.bindings.get(`ns/${name}`)).subjects)).toEqual([
      `${agent.replace('c1', 'c2')}:agent:hello-agent`,
    ]);
    await hub.disable('c2');
    expect(await hub.bindings.find(`ns/${name}`)).toBeUndefined();
  });

  it('[addons Q18] has no rights of a template that is for another add-on', async () => {
    await using hub = await start(['c1']);
    await allow(hub.manager, 'reader');
    const registration = kubeClient([{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reader' } }]);
    await hub.template('backup-1', { ...templateOf([deployment('hello')], registration), addonName: 'backup' });
    await hub.create({ defaultConfigs: [{ ...templates, name: 'backup-1' }] });
    await hub.enable('c1');
    expect(await hub.conditionOf('c1', 'RegistrationApplied')).toContain(
      'SetPermissionFailed: Failed to set permission for hub agent: AddOnTemplate backup-1: spec.addonName is "backup"; it must be "hello"',
    );
    expect((await hub.addOn('c1')).status?.registrations ?? []).toEqual([]);
    expect((await hub.bindings.list({ namespace: 'c1' })).items).toEqual([]);
    await hub.template('backup-1', { ...templateOf([deployment('hello')]), addonName: 'backup' });
    expect(await hub.conditionOf('c1', 'RegistrationApplied')).toContain('NilRegistration');
  });

  it('[addons 129] takes images from the mirrors of its configuration, then of the cluster, then as they are', async () => {
    await using hub = await start(['c1']);
    const annotation = (registries?: object[]) => ({
      metadata: {
        annotations: {
          'open-cluster-management.io/image-registries': registries ? JSON.stringify({ registries }) : null,
        },
      },
    });
    await hub.clusters.patch('c1', {
      type: 'merge',
      body: annotation([{ source: 'quay.io/acme', mirror: 'cluster.example' }]),
    });
    await hub.configs.create({
      metadata: { namespace: 'ns', name: 'mirror' },
      spec: { agentInstallNamespace: '', registries: [{ source: 'quay.io', mirror: 'config.example' }] },
    });
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.create({
      defaultConfigs: [
        { ...templates, name: 'hello-1' },
        { ...adc, name: '__reserved_no_default__' },
      ],
    });
    await hub.enable('c1');
    await hub.changeAddOn('c1', { spec: { configs: [{ ...adc, namespace: 'ns', name: 'mirror' }] } });
    expect(await hub.image('c1')).toBe('config.example/acme/agent:v1');
    await hub.changeAddOn('c1', { spec: { configs: [] } });
    expect(await hub.image('c1')).toBe('cluster.example/agent:v1');
    await hub.clusters.patch('c1', { type: 'merge', body: annotation() });
    await hub.manager.quiet();
    expect(await hub.image('c1')).toBe('quay.io/acme/agent:v1');
  });

  it('[addons 133] goes to one cluster after the other as each becomes ready', async () => {
    const clusters = ['c1', 'c2', 'c3', 'c4', 'c5'];
    await using hub = await start(clusters);
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.select('some', clusters);
    const rolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } } as const;
    await hub.install([placement('some', { configs: [{ ...templates, name: 'hello-1' }], rolloutStrategy })], {
      defaultConfigs: [{ ...templates, name: '__reserved_no_default__' }],
    });
    const withWorks = async () => (await hub.works.list()).items.map(({ metadata }) => metadata?.namespace).sort();
    for (const [index, cluster] of clusters.entries()) {
      expect(await withWorks()).toEqual(clusters.slice(0, index + 1));
      await hub.report(cluster, true);
    }
    expect(await hub.progressions()).toEqual([
      'selected clusters 5. configured addons 5/5 completed with no errors, 0 failed 0 timeout.',
    ]);
  });

  it('[addons Q6] has the update strategies of the template that its cluster has', async () => {
    await using hub = await start(['c1', 'c2']);
    const resourceIdentifier = { group: 'apps', resource: 'deployments', namespace: 'own', name: 'hello' };
    const { agentSpec, ...rest } = templateOf([deployment('hello'), workload('batch/v1', 'Job', 'once')]);
    const manifestConfigs = [{ resourceIdentifier, updateStrategy: { type: 'ServerSideApply' as const } }];
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.template('hello-2', { ...rest, agentSpec: { ...agentSpec, manifestConfigs } });
    await hub.create({ defaultConfigs: [{ ...templates, name: 'hello-1' }] });
    await hub.enable('c1', 'c2');
    await hub.changeAddOn('c2', { spec: { configs: [{ ...templates, name: 'hello-2' }] } });
    const strategies = async (cluster: string) => {
      const { spec } = await hub.works.get(`${cluster}/addon-hello-deploy-0`);
      return (spec?.manifestConfigs ?? []).map(
        (one) => `${one.resourceIdentifier.resource} ${one.updateStrategy?.type}`,
      );
    };
    expect(await strategies('c1')).toEqual(['deployments undefined']);
    expect((await strategies('c2')).sort()).toEqual(['deployments ServerSideApply', 'jobs CreateOnly']);
  });

  it('says in a condition which manifest cannot be rendered, and the other clusters go on', async () => {
    await using hub = await start(['c1', 'c2']);
    const broken = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', namespace: 'own' },
      data: { a: '{{A' },
    };
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.template('hello-2', templateOf([broken]));
    await hub.create({ defaultConfigs: [{ ...templates, name: 'hello-1' }] });
    await hub.enable('c1', 'c2');
    await hub.changeAddOn('c1', { spec: { configs: [{ ...templates, name: 'hello-2' }] } });
    expect(await hub.conditionOf('c1', 'RegistrationApplied')).toContain('ConfigMap own/m: data.a is "{{A"');
    expect(await hub.deployed('c2')).toHaveLength(1);
  });
});
