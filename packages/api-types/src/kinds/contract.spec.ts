import { createHash } from 'node:crypto';
import type { Condition, Json } from '@flotilla/schema';
import { canonicalText } from '@flotilla/schema';
import { structuralSchemaOf } from '@flotilla/schema/define';
import type { StructuralSchema } from '@flotilla/schema/validation';
import { describe, expect, it } from 'vitest';
import type { ManagedCluster } from '../index.ts';
import { allKinds, conversionService, customResourceDefinitions } from './index.ts';

/** The schema without descriptions. Below `properties`, keys are names of fields and stay. */
const meaningOf = (node: Json, isSchema = true): Json => {
  if (Array.isArray(node)) return node.map((each) => meaningOf(each));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !(isSchema && key === 'description'))
      .map(([key, value]) => [
        key,
        isSchema && key === 'required' && Array.isArray(value)
          ? [...value].sort()
          : meaningOf(value, !isSchema || key !== 'properties'),
      ]),
  );
};

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalText(meaningOf(JSON.parse(JSON.stringify(value)) as Json)))
    .digest('hex')
    .slice(0, 16);

const everyNode = (schema: StructuralSchema, path: string): [string, StructuralSchema][] => [
  [path, schema],
  ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => everyNode(each, `${path}.${name}`)),
  ...(schema.items ? everyNode(schema.items, `${path}[]`) : []),
  ...(typeof schema.additionalProperties === 'object' ? everyNode(schema.additionalProperties, `${path}{}`) : []),
];

describe('the wire contract', () => {
  // OCM's agents and hubs rely on these definitions. A new digest here means that objects which other programs
  // write may be refused, or fields dropped: change it only together with the API version that it stands for.
  it('is unchanged', () => {
    const digests = Object.fromEntries(
      customResourceDefinitions(conversionService('open-cluster-management-hub')).map(({ metadata, spec }) => [
        metadata.name,
        digest(spec),
      ]),
    );
    expect(digests).toMatchInlineSnapshot(`
      {
        "addondeploymentconfigs.addon.open-cluster-management.io": "a2daaed1afe90002",
        "addonplacementscores.cluster.open-cluster-management.io": "03c960cfea1d72a8",
        "addontemplates.addon.open-cluster-management.io": "1c325a57c6554078",
        "appliedmanifestworks.work.open-cluster-management.io": "7af6f2cf8099bc97",
        "clusterclaims.cluster.open-cluster-management.io": "62bd89af73e26d70",
        "clustermanagementaddons.addon.open-cluster-management.io": "948ec85971a3ebbb",
        "clustermanagers.operator.open-cluster-management.io": "2425b42e63f3f76e",
        "clusterprofiles.multicluster.x-k8s.io": "1e2431918ec8fe82",
        "klusterlets.operator.open-cluster-management.io": "8250fc7ca5ac12bc",
        "managedclusteraddons.addon.open-cluster-management.io": "a96abdfd0d11f84c",
        "managedclusters.cluster.open-cluster-management.io": "f248ff50b78a7feb",
        "managedclustersetbindings.cluster.open-cluster-management.io": "d62f87dd42b7f9f5",
        "managedclustersets.cluster.open-cluster-management.io": "b4d03568f39b2249",
        "manifestworkreplicasets.work.open-cluster-management.io": "4c7a7f25ee23c6d6",
        "manifestworks.work.open-cluster-management.io": "f1a153d5217681f3",
        "placementdecisions.cluster.open-cluster-management.io": "9bcb4709ad86e232",
        "placements.cluster.open-cluster-management.io": "ee186cecfa7c4bf8",
      }
    `);
  });

  it('does not depend on descriptions', () => {
    expect(digest({ description: 'one', type: 'object', properties: { description: { type: 'string' } } })).toBe(
      digest({ description: 'two', type: 'object', properties: { description: { type: 'string' } } }),
    );
    expect(digest({ type: 'object', properties: { description: { type: 'string' } } })).not.toBe(
      digest({ type: 'object' }),
    );
  });
});

describe.each(allKinds.map((each) => ({ name: `${each.resource.kind} ${each.resource.version}`, each })))(
  '$name',
  ({ each }) => {
    const nodes = everyNode(structuralSchemaOf(each), '');

    it('explains every field', () => {
      const silent = nodes.filter(([path, { description }]) => !description && path !== '.metadata');
      expect(silent.map(([path]) => path)).toEqual([]);
    });

    it('explains in one or two short sentences', () => {
      const wordy = nodes.filter(([, { description = '' }]) => description.length > 140);
      expect(wordy.map(([path]) => path)).toEqual([]);
    });

    it('uses only keywords that structural schemas allow', () => {
      const foreign = nodes.filter(([, node]) => 'patternProperties' in node || 'const' in node || '$ref' in node);
      expect(foreign).toEqual([]);
    });
  },
);

describe('kinds whose versions only a webhook can convert', () => {
  const converted = ['ClusterManagementAddOn', 'ManagedClusterAddOn'];
  const versionsOf = (definitions: ReturnType<typeof customResourceDefinitions>) =>
    definitions
      .filter(({ spec }) => converted.includes(spec.names.kind))
      .map(({ spec }) => [
        spec.names.kind,
        spec.conversion.strategy,
        spec.versions.map(({ name, storage }) => `${name}${storage ? ' stored' : ''}`),
      ]);

  it('[addons 10] have it where one is served, as in OCM', () => {
    const definitions = customResourceDefinitions(conversionService('hub'));
    expect(versionsOf(definitions)).toEqual(converted.map((kind) => [kind, 'Webhook', ['v1alpha1 stored', 'v1beta1']]));
    expect(definitions.find(({ spec }) => spec.names.kind === 'ManagedClusterAddOn')?.spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          service: { namespace: 'hub', name: 'cluster-manager-addon-webhook', path: '/convert', port: 9443 },
        },
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    });
  });

  it('are served in one version alone where none is, so that nothing is dropped', () => {
    expect(versionsOf(customResourceDefinitions())).toEqual(
      converted.map((kind) => [kind, 'None', ['v1beta1 stored']]),
    );
  });
});

describe('the list of kinds', () => {
  it('stores exactly one version of each kind', () => {
    for (const { metadata, spec } of customResourceDefinitions()) {
      expect(
        spec.versions.filter(({ storage }) => storage),
        metadata.name,
      ).toHaveLength(1);
    }
  });

  it('gives conditions the type that helpers for conditions take', () => {
    const cluster: ManagedCluster = { metadata: { name: 'a' } };
    const conditions: Condition[] = cluster.status?.conditions ?? [];
    expect(conditions).toEqual([]);
  });
});
