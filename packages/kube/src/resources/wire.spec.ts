import type { KubeObject, ObjectMeta } from '@flotilla/api-types';
import { describe, expectTypeOf, it } from 'vitest';
import type { ConfigMap, CustomResourceDefinition, Lease, NetworkPolicy, Pod } from './core-types.ts';

type Spec<T extends { spec?: unknown }> = NonNullable<T['spec']>;

describe('the types of built-in kinds', () => {
  it('have times as strings', () => {
    expectTypeOf<Spec<Lease>['renewTime']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Pod['status']>['startTime']>().toEqualTypeOf<string | undefined>();
  });

  it('have the metadata of every other kind', () => {
    expectTypeOf<Pod['metadata']>().toEqualTypeOf<ObjectMeta | undefined>();
    expectTypeOf<Pod>().toExtend<KubeObject>();
  });

  it('keep maps', () => {
    expectTypeOf<ConfigMap['data']>().toEqualTypeOf<{ [x: string]: string } | undefined>();
  });

  it('have field names as they are in JSON', () => {
    type Ingress = NonNullable<Spec<NetworkPolicy>['ingress']>[number];
    expectTypeOf<Ingress>().toHaveProperty('from');
    type Schema = NonNullable<
      NonNullable<CustomResourceDefinition['spec']['versions'][number]['schema']>['openAPIV3Schema']
    >;
    expectTypeOf<Schema>().toHaveProperty('x-kubernetes-preserve-unknown-fields');
    expectTypeOf<Schema>().toHaveProperty('enum');
  });
});
