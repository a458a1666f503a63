import { clusterProfiles } from '@flotilla/api-types';
import { validatorOf } from '@flotilla/api-types/kinds';
import { type Cluster, startCluster } from '@flotilla/envtest';
import type { Json, JsonObject, KubeObject, ResourceType } from '@flotilla/schema';
import { createSchemaValidator, type StructuralSchema } from '@flotilla/schema/validation';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { disagreement } from './disagreement.ts';
import { everyVersion } from './every-version.ts';
import { createServerValidator, type ServerValidator } from './server-validator.ts';

// An update may keep what became invalid under it, and transition rules compare it with what is stored.

const widgets: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

const schemaWith = (size: StructuralSchema, rules: { rule: string; message: string }[]): StructuralSchema => {
  const item: StructuralSchema = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, size } };
  const spec: StructuralSchema = {
    type: 'object',
    properties: {
      plain: size,
      byName: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      atomic: { type: 'array', items: item },
      grows: {
        type: 'object',
        properties: { size: { type: 'integer' } },
        ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
      },
    },
  };
  return { type: 'object', properties: { metadata: { type: 'object' }, spec } };
};
const loose = schemaWith({ type: 'integer' }, []);
const strict = schemaWith({ type: 'integer', maximum: 5 }, [
  { rule: 'self.size >= oldSelf.size', message: 'must not shrink' },
  { rule: 'self.size < 100', message: 'must be small' },
]);

const definitionOf = (schema: StructuralSchema): KubeObject & { spec: object } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: widgets.group,
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const widget = (name: string, spec: Json): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec,
});

let cluster: Cluster;
let server: ServerValidator;
let stored: JsonObject;
beforeAll(async () => {
  cluster = await startCluster({
    crds: [...everyVersion(), definitionOf(loose)],
    controllerManager: false,
  });
  server = createServerValidator(cluster.client.transport);
  const big = { name: 'a', size: 9 };
  stored = await server.store(
    widgets,
    widget('stored', { plain: 9, byName: [big], atomic: [big], grows: { size: 200 } }),
  );
  await cluster.installCrds([definitionOf(strict)]);
  // The server changes over to a new schema in its own time.
  await vi.waitFor(
    async () => expect((await server.create(widgets, widget('new', { plain: 6 }))).accepted).toBe(false),
    {
      timeout: 30_000,
    },
  );
});
afterAll(() => cluster?.stop());

describe('an update of an object that a new schema would refuse', () => {
  const validator = createSchemaValidator({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    namespaced: true,
    schema: strict,
  });
  const a = { name: 'a', size: 9 };

  it.each<{ what: string; change: JsonObject; accepted: boolean }>([
    { what: 'may change nothing', change: {}, accepted: true },
    { what: 'may leave the invalid field alone', change: { atomic: [] }, accepted: true },
    { what: 'may make the field valid', change: { plain: 5 }, accepted: true },
    { what: 'cannot make it invalid in another way', change: { plain: 10 }, accepted: false },
    { what: 'may add to a list with keys', change: { byName: [{ name: 'b', size: 1 }, a] }, accepted: true },
    { what: 'cannot add an invalid item', change: { byName: [a, { name: 'b', size: 6 }] }, accepted: false },
    { what: 'cannot rename an invalid item', change: { byName: [{ name: 'c', size: 9 }] }, accepted: false },
    {
      what: 'cannot add to a list without keys, whose items cannot be matched',
      change: { atomic: [a, { name: 'b' }] },
      accepted: false,
    },
    { what: 'cannot shrink what only grows', change: { grows: { size: 199 } }, accepted: false },
    { what: 'cannot grow it past another rule', change: { grows: { size: 201 } }, accepted: false },
    { what: 'may remove it', change: { grows: null }, accepted: true },
  ])('$what', async ({ change, accepted }) => {
    const spec = { ...(stored.spec as JsonObject), ...change };
    const changed = { ...stored, spec };
    const result = await server.replace(widgets, 'stored', changed);
    expect(disagreement(JSON.stringify(change), validator.check(changed, stored), result)).toBeUndefined();
    expect(result.accepted).toBe(accepted);
  });
});

describe('the manager of a ClusterProfile', () => {
  it.each(['one', 'two'])('is immutable to the validator as to the server when written as %s', async (name) => {
    const profile = (metadata: Json, manager: string): JsonObject => ({
      apiVersion: 'multicluster.x-k8s.io/v1alpha1',
      kind: 'ClusterProfile',
      metadata,
      spec: { clusterManager: { name: manager } },
    });
    const old = await server.store(clusterProfiles, profile({ name: `profile-${name}`, namespace: 'default' }, 'one'));
    const changed = profile(old.metadata ?? null, name);
    const result = await server.replace(clusterProfiles, `profile-${name}`, changed);
    expect(disagreement(name, validatorOf(clusterProfiles).check(changed, old), result)).toBeUndefined();
    expect(result.accepted).toBe(name === 'one');
  });
});
