import type { KubeObject, ObjectMeta } from '@flotilla/schema';
import type { toCustomResourceDefinitions } from '@flotilla/schema/define';
import { dumpYaml, loadYaml } from '@kubernetes/client-node';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parse } from 'yaml';
import type { ConfigMap, CustomResourceDefinition, Lease, NetworkPolicy, Pod } from './built-in-types.ts';

/** An object of ours as the serializer of the model types writes it: what that does not know by this name is lost. */
const written = (object: KubeObject): unknown => parse(dumpYaml(loadYaml(JSON.stringify(object))));

describe('the types of built-in kinds', () => {
  it('have times as strings', () => {
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', status: { startTime: '2026-01-02T03:04:05.000Z' } };
    expect(written(pod)).toEqual(pod);
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      spec: { renewTime: '2026-01-02T03:04:05.123000Z' },
    };
    expect(written(lease)).toEqual(lease);
  });

  it('have the metadata of every other kind', () => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { a: 'b' }, ownerReferences: [owner] },
    };
    expect(written(pod)).toEqual(pod);
    expectTypeOf<Pod['metadata']>().toEqualTypeOf<ObjectMeta | undefined>();
  });

  it('keep maps', () => {
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', data: { 'a.b': 'c' } };
    expect(written(map)).toEqual(map);
  });

  it('have field names as they are in JSON', () => {
    const policy: NetworkPolicy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
    };
    expect(written(policy)).toEqual(policy);
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: ['a'] };
    const definition: CustomResourceDefinition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: {
        group: 'example.io',
        names: { kind: 'Thing', plural: 'things' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    expect(written(definition)).toEqual(definition);
  });

  it('take the definitions that are made of schemas', () => {
    expectTypeOf<ReturnType<typeof toCustomResourceDefinitions>[number]>().toExtend<CustomResourceDefinition>();
  });
});

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
