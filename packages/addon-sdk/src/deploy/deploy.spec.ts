import type { ManifestWork } from '@flotilla/api-types';
import type { EmbeddedResource } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { orphan } from '../author/marks.ts';
import { specHash } from '../configs/spec-hash.ts';
import { config } from '../definition/config.ts';
import { annotated, configMap, deployment } from '../fixtures/objects.ts';
import { enableProbe, runProbe, stopAfterEach } from '../fixtures/one-addon.ts';

stopAfterEach();

const namesOf = (work: ManifestWork | undefined) =>
  work?.spec?.workload?.manifests?.map(({ metadata }) => metadata?.name);
const sized = (name: string, kib: number): EmbeddedResource => configMap(name, { data: 'x'.repeat(kib * 1024) });

describe('an add-on on a cluster', () => {
  it('[addons 69] is not deployed before the hub knows how its agent registers', async () => {
    const { enable, works, quiet, hub } = await runProbe([configMap('a')]);
    await enable('c1', 'probe', { metadata: { ownerReferences: [] } });
    expect(await works('c1')).toEqual([]);
    const offer = await hub.offers.get('probe');
    const ownerReferences = [
      {
        apiVersion: 'addon.open-cluster-management.io/v1beta1',
        kind: 'ClusterManagementAddOn',
        name: 'probe',
        uid: offer.metadata?.uid,
      },
    ];
    await hub.addons.patch('c1/probe', { type: 'merge', body: { metadata: { ownerReferences } } });
    await quiet();
    expect(await works('c1')).toHaveLength(1);
  });

  it('[addons 70] is deployed by a work with its label, owner and hash annotation', async () => {
    const { works, addon, setReferences } = await enableProbe([configMap('a')]);
    const [work, ...others] = await works('c1');
    expect(others).toEqual([]);
    expect(work?.metadata).toMatchObject({
      name: 'addon-probe-deploy-0',
      labels: { 'open-cluster-management.io/addon-name': 'probe' },
      ownerReferences: [
        {
          apiVersion: 'addon.open-cluster-management.io/v1beta1',
          kind: 'ManagedClusterAddOn',
          name: 'probe',
          uid: (await addon('c1', 'probe'))?.metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(work?.metadata?.annotations).toBeUndefined();
    expect(work?.spec).toEqual({ workload: { manifests: [configMap('a')] } });
    await setReferences('c1', 'probe', [
      { group: 'x.io', resource: 'settings', desiredConfig: { namespace: 'ns', name: 'n', specHash: 'h1' } },
    ]);
    expect((await works('c1'))[0]?.metadata?.annotations).toEqual({
      'open-cluster-management.io/config-spec-hash': '{"settings.x.io/ns/n":"h1"}',
    });
  });

  it('[addons 71] is not written again if it renders the same', async () => {
    const { rerender, takeWrites } = await enableProbe([
      annotated(deployment('d'), 'addon.open-cluster-management.io/deletion-orphan'),
    ]);
    takeWrites();
    await rerender([
      annotated(
        { ...deployment('d'), metadata: { ...deployment('d').metadata, creationTimestamp: null } },
        'addon.open-cluster-management.io/deletion-orphan',
      ),
    ]);
    expect(takeWrites()).toEqual([]);
  });

  it('[addons 72, 79] is patched once when a trigger renders something else', async () => {
    const { rerender, takeWrites, works } = await enableProbe([configMap('a')]);
    takeWrites();
    await rerender([configMap('a', { key: 'changed' })]);
    expect(takeWrites()).toEqual(['PATCH namespaces/c1/manifestworks/addon-probe-deploy-0']);
    expect((await works('c1'))[0]?.spec?.workload?.manifests).toEqual([configMap('a', { key: 'changed' })]);
  });

  it('[addons 73] reports what render throws, with the add-on and the cluster', async () => {
    const { condition } = await enableProbe([], {
      render: () => {
        throw new Error('templates/agent.yaml:3: no image');
      },
    });
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBe(
      'False ManifestWorkApplyFailed: failed to get manifest from agent interface: add-on probe on cluster c1: templates/agent.yaml:3: no image',
    );
  });

  it.each<[string, unknown, string]>([
    [
      'has no kind',
      { apiVersion: 'v1', metadata: { name: 'x' } },
      'manifest 0 (object x): kind is not set; give it, such as Deployment',
    ],
    [
      'has no version',
      { kind: 'Pod', metadata: { name: 'x' } },
      'manifest 0 (Pod x): apiVersion is not set; give it, such as apps/v1',
    ],
    [
      'has no name',
      { kind: 'Pod', apiVersion: 'v1', metadata: { namespace: 'ns' } },
      'manifest 0 (Pod ns/): metadata.name is not set; give it',
    ],
    [
      'has a namespace that is not a text',
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x', namespace: { a: null } } },
      'manifest 0 (Pod x): metadata.namespace is {"a":null}; it must be a text; quote "{{ placeholders }}" in templates',
    ],
    ['is not an object', 'text', 'manifest 0: it is "text"; it must be an object'],
  ])('reports a manifest that %s', async (_, manifest, message) => {
    const { condition } = await enableProbe([], { render: async () => JSON.parse(JSON.stringify([manifest])) });
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBe(
      `False ManifestWorkApplyFailed: failed to get manifest from agent interface: add-on probe on cluster c1: ${message}`,
    );
  });

  it('does not keep other clusters from theirs', async () => {
    const { addCluster, enable, works } = await enableProbe([], {
      render: ({ clusterName }) => {
        if (clusterName === 'c1') throw new Error('no');
        return [configMap('a')];
      },
    });
    await addCluster('c2');
    await enable('c2', 'probe');
    expect([await works('c1'), (await works('c2')).length]).toEqual([[], 1]);
  });

  it('[addons 74] waits for its configuration if it asks for that', async () => {
    const { works, hub, quiet } = await enableProbe([configMap('a')], { configCheckEnabled: true });
    expect(await works('c1')).toEqual([]);
    const { status } = await hub.addons.get('c1/probe');
    const configured = {
      type: 'Configured',
      status: 'True',
      reason: 'x',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const body = { status: { conditions: [...(status?.conditions ?? []), configured] } };
    await hub.addons.status.patch('c1/probe', { type: 'merge', body });
    await quiet();
    expect(await works('c1')).toHaveLength(1);
  });

  it('[addons 75] reports what the agent of the cluster says about its works', async () => {
    const { condition, report, rerender, hub, quiet } = await enableProbe([configMap('a')]);
    const applied = () => condition('c1', 'probe', 'ManifestApplied');
    expect(await applied()).toBeUndefined();
    await report('c1', 'addon-probe-deploy-0', { applied: 'False' });
    expect(await applied()).toBe('False AddonManifestAppliedFailed: failed to apply the manifests of addon');
    const forget = async () => {
      await hub.works.status.patch('c1/addon-probe-deploy-0', {
        type: 'merge',
        body: { status: { conditions: null } },
      });
      await quiet();
    };
    await forget();
    expect(await applied()).toBeUndefined();
    await report('c1', 'addon-probe-deploy-0');
    const isApplied = 'True AddonManifestApplied: manifests of addon are applied successfully';
    expect(await applied()).toBe(isApplied);
    await forget();
    expect(await applied()).toBe(isApplied);
    await rerender([]);
    expect(await applied()).toBe('True AddonManifestApplied: no manifest need to apply');
  });

  it('reports a work that cannot be written, and writes it later', async () => {
    const { condition, refuse, enable, works, pass } = await runProbe([configMap('a')]);
    refuse('manifestworks');
    await enable('c1', 'probe');
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBe(
      'False ManifestWorkApplyFailed: failed to apply manifestWork: Internal: POST namespaces/c1/manifestworks refused by the test',
    );
    refuse(undefined);
    await pass(1000);
    expect(await works('c1')).toHaveLength(1);
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBeUndefined();
  });

  it('[addons 76] is split over works by size, and stays where it is', async () => {
    const big = [sized('a', 200), sized('b', 150), sized('c', 50)];
    const { works, rerender } = await enableProbe(big);
    expect((await works('c1')).map(namesOf)).toEqual([['a', 'b'], ['c']]);
    await rerender([...big, sized('d', 80)]);
    expect((await works('c1')).map(namesOf)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await rerender([sized('a', 200), sized('c', 50), sized('d', 80)]);
    expect((await works('c1')).map(namesOf)).toEqual([['a'], ['c', 'd']]);
  });

  it('is not applied while any of its works is not', async () => {
    const { condition, report } = await enableProbe([sized('a', 300), sized('b', 200)]);
    await report('c1', 'addon-probe-deploy-0', { applied: 'False' });
    await report('c1', 'addon-probe-deploy-1');
    expect(await condition('c1', 'probe', 'ManifestApplied')).toContain('False AddonManifestAppliedFailed');
    await report('c1', 'addon-probe-deploy-0');
    expect(await condition('c1', 'probe', 'ManifestApplied')).toContain('True AddonManifestApplied');
  });

  it('[addons 77, Q8] loses a work that nothing is left of', async () => {
    const { works, rerender } = await enableProbe([sized('a', 300), sized('b', 200)]);
    expect((await works('c1')).map(namesOf)).toEqual([['a'], ['b']]);
    await rerender([sized('b', 200)]);
    expect((await works('c1')).map(({ metadata }) => metadata?.name)).toEqual(['addon-probe-deploy-1']);
    await rerender([]);
    expect(await works('c1')).toEqual([]);
  });

  it('[addons 78] leaves marked objects on the cluster', async () => {
    const hub = {
      apiVersion: 'operator.open-cluster-management.io/v1',
      kind: 'MultiClusterHub',
      metadata: { name: 'hub', namespace: 'ocm' },
    };
    const { works } = await enableProbe([
      annotated(hub, 'addon.open-cluster-management.io/deletion-orphan'),
      configMap('a'),
    ]);
    expect((await works('c1'))[0]?.spec?.deleteOption).toEqual({
      propagationPolicy: 'SelectivelyOrphan',
      selectivelyOrphans: {
        orphaningRules: [
          { group: 'operator.open-cluster-management.io', resource: 'multiclusterhubs', namespace: 'ocm', name: 'hub' },
        ],
      },
    });
  });

  it('leaves an object whose kind has an unusual plural name, which its mark names', async () => {
    const gateway = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: 'g' } };
    const { works } = await enableProbe([orphan(gateway, 'gateways'), configMap('a')]);
    const { orphaningRules = [] } = (await works('c1'))[0]?.spec?.deleteOption?.selectivelyOrphans ?? {};
    expect(orphaningRules.map(({ resource }) => resource)).toContain('gateways');
  });

  it('[addons 80] is left alone while its cluster is deleted', async () => {
    const { hub, quiet, rerender, takeWrites, works } = await enableProbe([configMap('a')]);
    await hub.clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } });
    await hub.clusters.delete('c1');
    await quiet();
    takeWrites();
    await rerender([configMap('b')]);
    expect(takeWrites()).toEqual([]);
    expect((await works('c1')).map(namesOf)).toEqual([['a']]);
    await hub.works.delete('c1/addon-probe-deploy-0');
    await quiet();
    expect(await works('c1')).toEqual([]);
  });

  it('[addons 81] without a cluster is nothing, until there is one', async () => {
    const { hub, enable, works, quiet, takeWrites } = await runProbe([configMap('a')]);
    await hub.namespaces.create({ metadata: { name: 'c2' } });
    await enable('c2', 'probe');
    expect([await works('c2'), takeWrites()]).toEqual([[], []]);
    await hub.clusters.create({ metadata: { name: 'c2' }, spec: { hubAcceptsClient: true } });
    await quiet();
    expect(await works('c2')).toHaveLength(1);
  });

  it('renders again when its cluster changes in a way that matters to it', async () => {
    const { hub, quiet, works } = await enableProbe([], {
      render: ({ cluster }) => [configMap('a', { zone: cluster.metadata?.labels?.zone ?? '' })],
      clusterFilter: (previous, current) => previous.metadata?.labels?.zone !== current.metadata?.labels?.zone,
    });
    await hub.clusters.patch('c1', { type: 'merge', body: { metadata: { labels: { zone: 'b' } } } });
    await quiet();
    expect((await works('c1'))[0]?.spec?.workload?.manifests).toEqual([configMap('a', { zone: 'b' })]);
  });

  it('[addons 83] merges the settings of its author with those that its health needs', async () => {
    const { works, takeWrites, engine, quiet } = await enableProbe([deployment('d')], {
      health: { type: 'workloads', kinds: ['deployments'] },
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'd' },
          feedbackRules: [
            { type: 'WellKnownStatus' },
            {
              type: 'JSONPaths',
              jsonPaths: [
                { name: 'g', path: '.observedGeneration' },
                { name: 'g', path: '.x' },
              ],
            },
          ],
          updateStrategy: { type: 'ServerSideApply' },
        },
        {
          resourceIdentifier: { resource: 'configmaps', namespace: 'default', name: 'x' },
          updateStrategy: { type: 'CreateOnly' },
        },
      ],
    });
    const configs = (await works('c1'))[0]?.spec?.manifestConfigs;
    expect(configs).toMatchObject([
      {
        resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'd' },
        feedbackRules: [
          { type: 'WellKnownStatus' },
          { type: 'JSONPaths', jsonPaths: [{ name: 'g', path: '.observedGeneration' }] },
        ],
        updateStrategy: { type: 'ServerSideApply' },
      },
      { resourceIdentifier: { resource: 'configmaps', namespace: 'default', name: 'x' } },
    ]);
    takeWrites();
    engine.trigger('c1', 'probe');
    await quiet();
    expect(takeWrites()).toEqual([]);
  });
});

describe('the configuration of an add-on', () => {
  const spec = (variable: string) => ({ customizedVariables: [{ name: 'LEVEL', value: variable }] });
  const reference = (specHash = '') => [
    {
      group: 'addon.open-cluster-management.io',
      resource: 'addondeploymentconfigs',
      desiredConfig: { namespace: 'default', name: 'settings', specHash },
    },
  ];
  const start = () =>
    enableProbe([], {
      configs: { deploy: config.deployment() },
      render: ({ variables }) => [configMap('a', { ...variables() })],
    });
  const dataOf = (work: ManifestWork | undefined) => work?.spec?.workload?.manifests?.[0]?.data;

  it('that does not exist is named in a condition, and used when it exists', async () => {
    const { hub, setReferences, condition, works, quiet, pass } = await start();
    await setReferences('c1', 'probe', reference());
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBe(
      'False ManifestWorkApplyFailed: failed to get manifest from agent interface: add-on probe on cluster c1: config addondeploymentconfigs default/settings does not exist',
    );
    const created = await hub.deploymentConfigs.create({
      metadata: { namespace: 'default', name: 'settings' },
      spec: spec('1'),
    });
    await quiet();
    await setReferences('c1', 'probe', reference(specHash(created)));
    await pass(1000);
    expect(dataOf((await works('c1'))[0])).toEqual({ LEVEL: '1' });
  });

  it('is used in the version that the hub rolls out to this cluster', async () => {
    const { hub, setReferences, works, quiet, engine } = await start();
    const first = await hub.deploymentConfigs.create({
      metadata: { namespace: 'default', name: 'settings' },
      spec: spec('1'),
    });
    await setReferences('c1', 'probe', reference(specHash(first)));
    expect(dataOf((await works('c1'))[0])).toEqual({ LEVEL: '1' });
    const second = await hub.deploymentConfigs.patch('default/settings', { type: 'merge', body: { spec: spec('2') } });
    await quiet();
    engine.trigger('c1', 'probe');
    await quiet();
    expect(dataOf((await works('c1'))[0])).toEqual({ LEVEL: '1' });
    await setReferences('c1', 'probe', reference(specHash(second)));
    expect(dataOf((await works('c1'))[0])).toEqual({ LEVEL: '2' });
  });
});
