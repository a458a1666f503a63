import { describe, expect, it } from 'vitest';
import { placement } from '../fixtures/hub.ts';
import { deployment, templateOf, workload } from './fixtures/template.ts';
import { allow, kubeClient, start, templates } from './fixtures/template-hub.ts';

describe('a template of an add-on', () => {
  it('gives neither manifests nor rights to a cluster whose status names it without being chosen', async () => {
    await using hub = await start(['c1', 'c2']);
    await allow(hub.manager, 'reader');
    const registration = kubeClient([{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reader' } }]);
    await hub.template('plain', templateOf([deployment('hello')]));
    await hub.template('privileged', templateOf([deployment('hello'), workload('v1', 'Pod', 'extra')], registration));
    await hub.select('dev', ['c1']);
    await hub.select('prod', ['c2']);
    await hub.install([placement('dev'), placement('prod', { configs: [{ ...templates, name: 'privileged' }] })], {
      defaultConfigs: [{ ...templates, name: 'plain' }],
    });
    expect(await hub.deployed('c1')).toHaveLength(1);
    expect(await hub.deployed('c2')).toHaveLength(2);
    // The controller that would write them again is kept from it, as by a rollout that has not come to the cluster.
    hub.manager.refuse('managedclusteraddons/hello/status');
    const [{ desiredConfig } = {}] = (await hub.addOn('c2')).status?.configReferences ?? [];
    await hub.changeAddOnStatus('c1', { configReferences: [{ ...templates, desiredConfig }] });
    expect(await hub.deployed('c1')).toHaveLength(1);
    expect((await hub.bindings.list({ namespace: 'c1' })).items).toEqual([]);
    expect((await hub.bindings.list({ namespace: 'c2' })).items).toHaveLength(1);
    hub.manager.refuse(undefined);
    await hub.manager.pass(10_000);
    expect(await hub.configsOf('c1')).toEqual([expect.stringMatching(/^plain=/)]);
    expect(await hub.conditionOf('c1', 'RegistrationApplied')).toContain('NilRegistration');
  });

  it('stays on a cluster that a rollout to another one has not come to, also when the hub restarts', async () => {
    await using hub = await start(['c1', 'c2']);
    await hub.template('hello-1', templateOf([deployment('hello')]));
    await hub.template('hello-2', templateOf([deployment('hello'), workload('v1', 'Pod', 'new')]));
    await hub.select('some', ['c1', 'c2']);
    const rolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } } as const;
    const configs = (name: string) => [placement('some', { configs: [{ ...templates, name }], rolloutStrategy })];
    await hub.install(configs('hello-1'), { defaultConfigs: [{ ...templates, name: '__reserved_no_default__' }] });
    for (const cluster of ['c1', 'c2']) await hub.report(cluster, true);
    await hub.change({ spec: { installStrategy: { type: 'Placements', placements: configs('hello-2') } } });
    await hub.manager.restart();
    expect(await hub.conditionOf('c2', 'Configured')).toContain('False');
    expect(await hub.conditionOf('c2', 'RegistrationApplied')).toContain('True');
    expect((await hub.addOn('c2')).metadata?.annotations?.['open-cluster-management.io/chosen-addon-configs']).toBe(
      '["addontemplates.addon.open-cluster-management.io//hello-1"]',
    );
    await hub.report('c1', true);
    expect(await hub.deployed('c2')).toHaveLength(2);
    expect((await hub.addOn('c2')).metadata?.annotations?.['open-cluster-management.io/chosen-addon-configs']).toBe(
      '["addontemplates.addon.open-cluster-management.io//hello-2"]',
    );
  });

  it.each([
    ['of a cluster', { own: true }],
    ['by default', { own: false }],
  ])('is deployed although it is named with a namespace, %s', async (_, { own }) => {
    await using hub = await start(['c1']);
    await hub.template('hello-1', templateOf([deployment('hello')]));
    const named = { ...templates, namespace: 'default', name: 'hello-1' };
    await hub.select('dev', ['c1']);
    await hub.install([placement('dev')], {
      defaultConfigs: [own ? { ...templates, name: '__reserved_no_default__' } : named],
    });
    if (own) await hub.changeAddOn('c1', { spec: { configs: [named] } });
    await hub.manager.pass(10_000);
    expect(await hub.deployed('c1')).toHaveLength(1);
    expect(await hub.configsOf('c1')).toEqual([expect.stringMatching(/^hello-1=./)]);
    expect((await hub.addOn('c1')).status?.configReferences?.[0]?.desiredConfig).not.toHaveProperty('namespace');
  });
});
