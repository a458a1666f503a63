import type { ResourceType } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { specHash } from '../configs/spec-hash.ts';
import { config } from '../definition/config.ts';
import { enableProbe, stopAfterEach } from '../fixtures/one-addon.ts';

stopAfterEach();

const group = 'addon.open-cluster-management.io';
const resource = 'addondeploymentconfigs';
const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const start = () =>
  enableProbe([], {
    configs: {
      deploy: config.deployment(),
      space: config.of(namespaceType),
      maps: config.of(
        { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
        { many: true },
      ),
    },
  });
const metadata = { namespace: 'default', name: 'settings' };
const first = { customizedVariables: [{ name: 'A', value: '1' }] };

describe('the hashes of configurations', () => {
  it('[addons 27] of a ClusterManagementAddOn follow the objects', async () => {
    const { hub, quiet } = await start();
    const created = await hub.deploymentConfigs.create({ metadata, spec: first });
    const reference = { group, resource, desiredConfig: metadata };
    const undeclared = { group: 'x.io', resource: 'others', desiredConfig: { name: 'o', specHash: 'kept' } };
    const progression = { namespace: 'default', name: 'all', configReferences: [reference, undeclared] };
    const status = { defaultConfigReferences: [reference, undeclared], installProgressions: [progression] };
    await hub.offers.status.patch('probe', { type: 'merge', body: { status } });
    await quiet();
    const hashes = async () => {
      const found = (await hub.offers.get('probe')).status;
      return [
        ...(found?.defaultConfigReferences ?? []),
        ...(found?.installProgressions?.[0]?.configReferences ?? []),
      ].map(({ desiredConfig }) => desiredConfig?.specHash ?? '');
    };
    expect(await hashes()).toEqual([specHash(created), 'kept', specHash(created), 'kept']);
    const body = { spec: { customizedVariables: [{ name: 'A', value: '2' }] } };
    const changed = await hub.deploymentConfigs.patch('default/settings', { type: 'merge', body });
    await quiet();
    expect(specHash(changed)).not.toBe(specHash(created));
    expect(await hashes()).toEqual([specHash(changed), 'kept', specHash(changed), 'kept']);
    await hub.deploymentConfigs.delete('default/settings');
    await quiet();
    expect(await hashes()).toEqual(['', 'kept', '', 'kept']);
  });

  it('[addons 33, 34, 40] of an add-on follow what its own spec names; of the rest only the generation does', async () => {
    const { hub, quiet, addon, setReferences } = await start();
    const settings = await hub.deploymentConfigs.create({ metadata, spec: first });
    const map = await hub.configMaps.create({ metadata: { namespace: 'default', name: 'own' }, data: { a: '1' } });
    const configs = [
      { group: '', resource: 'configmaps', namespace: 'default', name: 'own' },
      { group: '', resource: 'namespaces', name: 'default' },
    ];
    await hub.addons.patch('c1/probe', { type: 'merge', body: { spec: { configs } } });
    await setReferences('c1', 'probe', [
      { group, resource, desiredConfig: { ...metadata, specHash: 'of the hub' } },
      { group: '', resource: 'configmaps', desiredConfig: { namespace: 'default', name: 'own' } },
      { group: '', resource: 'namespaces', desiredConfig: { name: 'default' } },
      { group: 'x.io', resource: 'others', desiredConfig: { name: 'o' } },
    ]);
    const observed = async () =>
      (await addon('c1', 'probe'))?.status?.configReferences?.map(({ desiredConfig, lastObservedGeneration }) => [
        desiredConfig?.specHash ?? '',
        lastObservedGeneration ?? 0,
      ]);
    const namespace = await hub.namespaces.get('default');
    expect(await observed()).toEqual([
      ['of the hub', settings.metadata?.generation],
      [specHash(map), 0],
      [specHash(namespace), 0],
      ['', 0],
    ]);
    const changed = await hub.configMaps.patch('default/own', { type: 'merge', body: { data: { a: '2' } } });
    await hub.deploymentConfigs.patch('default/settings', {
      type: 'merge',
      body: { spec: { customizedVariables: [] } },
    });
    await quiet();
    expect((await observed())?.slice(0, 2)).toEqual([
      ['of the hub', 2],
      [specHash(changed), 0],
    ]);
  });

  it('are written once', async () => {
    const { hub, quiet, setReferences, takeWrites, engine } = await start();
    await hub.deploymentConfigs.create({ metadata, spec: first });
    await setReferences('c1', 'probe', [{ group, resource, desiredConfig: metadata }]);
    takeWrites();
    await hub.deploymentConfigs.patch('default/settings', {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    engine.trigger('c1', 'probe');
    await quiet();
    expect(takeWrites()).toEqual([]);
  });
});
