import { addOnDeploymentConfigs } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { specHash } from '../configs/spec-hash.ts';
import { config } from '../definition/config.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { kubeClient } from '../definition/registration.ts';
import { configMap } from '../fixtures/objects.ts';
import { startEngine, startOnOlderHub } from '../fixtures/running-engine.ts';
import { addonRules } from './addon-role.ts';

const addon = (name: string) => defineAddon({ name, render: () => [configMap(name)] });
const workNames = (works: { metadata?: { name?: string } }[]) => works.map(({ metadata }) => metadata?.name);

describe('the engine', () => {
  it('starts and stops add-ons at run time', async () => {
    await using running = await startEngine(addon('a'), addon('b'));
    const { engine, works, enable, quiet, addCluster } = running;
    expect(engine.running).toEqual(['a', 'b']);
    await addCluster('c1');
    await enable('c1', 'a');
    await enable('c1', 'c');
    expect(workNames(await works('c1'))).toEqual(['addon-a-deploy-0']);
    engine.start(addon('c'));
    await quiet();
    expect(workNames(await works('c1'))).toEqual(['addon-a-deploy-0', 'addon-c-deploy-0']);
    const end = new AbortController();
    const d = engine.start(addon('d'), { signal: end.signal });
    end.abort();
    await d.ended;
    await quiet();
    await enable('c1', 'd');
    expect(workNames(await works('c1'))).toEqual(['addon-a-deploy-0', 'addon-c-deploy-0']);
    expect(engine.running).toEqual(['a', 'b', 'c']);
    engine.start(addon('d'));
    await quiet();
    expect(workNames(await works('c1'))).toContain('addon-d-deploy-0');
    engine.trigger('c1', 'unknown');
  });

  it('refuses two definitions of one name', async () => {
    await using running = await startEngine(addon('a'));
    expect(() => running.engine.start(addon('a'))).toThrow('two definitions of the add-on a would undo each other');
  });

  it('deploys template add-ons only where there is a template', async () => {
    const template = defineAddon({ name: 't', templateMode: true, render: () => [configMap('t')] });
    await using running = await startEngine(template);
    const { addCluster, enable, works, setReferences } = running;
    await addCluster('c1');
    await enable('c1', 't');
    expect(await works('c1')).toEqual([]);
    const reference = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' };
    await setReferences('c1', 't', [{ ...reference, desiredConfig: { name: 'template' } }]);
    expect(await works('c1')).toEqual([]);
    await setReferences('c1', 't', [{ ...reference, desiredConfig: { name: 'template', specHash: 'h' } }]);
    expect(workNames(await works('c1'))).toEqual(['addon-t-deploy-0']);
  });
});

describe('a hub that serves add-ons as v1alpha1 only', () => {
  it('runs add-ons with configuration and registration, owned by what it serves', async () => {
    const older = defineAddon({
      name: 'a',
      configs: { deploy: config.deployment() },
      registration: [kubeClient({ permissions: (p) => p.bindClusterRole('view') })],
      render: ({ variables }) => [configMap('a', { ...variables() })],
    });
    await using hub = await startOnOlderHub(older);
    await hub.addCluster('c1');
    await hub.enable('c1', 'a');
    const metadata = { namespace: 'default', name: 'settings' };
    const spec = { customizedVariables: [{ name: 'LEVEL', value: '1' }] };
    const created = await hub.hub.deploymentConfigs.create({ metadata, spec });
    const { group, plural: resource } = addOnDeploymentConfigs;
    await hub.setReferences('c1', 'a', [
      { group, resource, desiredConfig: { ...metadata, specHash: specHash(created) } },
    ]);
    const [work] = await hub.works('c1');
    expect(work?.spec?.workload?.manifests).toEqual([configMap('a', { LEVEL: '1' })]);
    expect(work?.metadata?.ownerReferences?.[0]?.apiVersion).toBe('addon.open-cluster-management.io/v1alpha1');
    expect(await hub.condition('c1', 'a', 'RegistrationApplied')).toContain('True SetPermissionApplied');
    await hub.hub.addons.delete('c1/a');
    await expect.poll(() => hub.works('c1')).toEqual([]);
  });
});

describe('the rights of an add-on', () => {
  it('are those of its own kinds and permissions, without wildcards', () => {
    const rules = addonRules({
      configs: { deploy: config.deployment() },
      registration: [
        kubeClient({
          permissions: (p) => [
            p.inClusterNamespace([{ apiGroups: ['x'], resources: ['y'], verbs: ['get'] }]),
            p.bindClusterRole('view'),
            p.inNamespace('ns', { kind: 'Role', name: 'r' }),
          ],
        }),
      ],
    });
    expect(rules).toContainEqual({ apiGroups: ['x'], resources: ['y'], verbs: ['get'] });
    expect(rules).toContainEqual({
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      verbs: ['bind'],
      resourceNames: ['view'],
    });
    expect(rules).toContainEqual({
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles'],
      verbs: ['bind'],
      resourceNames: ['r'],
    });
    expect(JSON.stringify(rules)).not.toContain('*');
    expect(JSON.stringify(addonRules({}))).not.toMatch(/rbac|certificates/);
  });
});
