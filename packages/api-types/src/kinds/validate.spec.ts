import { toValidatedKind } from '@flotilla/schema/define';
import { arbitraryObject, breakObject, createRandom, disturbObject } from '@flotilla/schema/testing';
import { describeFieldErrors } from '@flotilla/schema/validation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterProfiles, managedClusters, manifestWorks, placements } from '../resources.ts';
import { allKinds, applyDefaults, check, prune, validate, validatorOf } from './index.ts';

const kinds = allKinds.map((definition) => ({
  name: `${definition.resource.kind} ${definition.resource.version}`,
  kind: toValidatedKind(definition),
  validator: validatorOf(definition.resource),
}));

describe.each(kinds)('any $name', ({ kind, validator }) => {
  const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

  it('that follows the schema is accepted', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { errors, unknownFields } = validator.check(arbitraryObject(kind, createRandom(seed)));
        expect(describeFieldErrors(errors)).toBe('');
        expect(unknownFields).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('with one mistake is refused at the field of the mistake', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = createRandom(seed);
        const object = arbitraryObject(kind, random);
        const breakage = breakObject(object, kind.schema, random);
        const { errors } = validator.check(object);
        expect(
          errors.some(({ field }) => field.startsWith(breakage.field)),
          `${breakage.field} ${breakage.what}: ${describeFieldErrors(errors)}`,
        ).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('is accepted with null for optional fields and with unknown fields, which are reported', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = createRandom(seed);
        const object = arbitraryObject(kind, random);
        disturbObject(object, kind.schema, random);
        const { errors, unknownFields } = validator.check(object);
        expect(describeFieldErrors(errors)).toBe('');
        expect(unknownFields.every((field) => field.endsWith('notInTheSchema'))).toBe(true);
        expect(unknownFields.length > 0).toBe(JSON.stringify(object).includes('notInTheSchema'));
      }),
      { numRuns: 25 },
    );
  });

  it('has the same defaults when they are set twice', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const once = validator.applyDefaults(arbitraryObject(kind, createRandom(seed)));
        expect(validator.applyDefaults(once)).toEqual(once);
      }),
      { numRuns: 25 },
    );
  });
});

describe('validate', () => {
  it('names the field, the value and what is expected', () => {
    const errors = validate(placements, {
      metadata: { name: 'p' },
      spec: { spreadPolicy: { spreadConstraints: [{ topologyKey: 'zone', topologyKeyType: 'Label', maxSkew: 0 }] } },
    });
    expect(errors).toEqual([
      {
        field: 'spec.spreadPolicy.spreadConstraints[0].maxSkew',
        reason: 'FieldValueInvalid',
        value: 0,
        message: 'must be at least 1',
        cause: {
          field: 'spec.spreadPolicy.spreadConstraints[0].maxSkew',
          message:
            'Invalid value: 0: spec.spreadPolicy.spreadConstraints[0].maxSkew in body should be greater than or equal to 1',
        },
      },
    ]);
  });

  it('runs the CEL rules of a kind', () => {
    const rule = { condition: '', type: 'CEL' } as const;
    const errors = validate(manifestWorks, {
      metadata: { name: 'w' },
      spec: { manifestConfigs: [{ resourceIdentifier: { resource: 'pods', name: 'p' }, conditionRules: [rule] }] },
    });
    expect(describeFieldErrors(errors)).toBe(
      'spec.manifestConfigs[0].conditionRules[0]: Condition is required for CEL rules',
    );
  });

  it('refuses the change of an immutable field, and only the change', () => {
    const profile = (name: string) => ({ metadata: { name: 'c' }, spec: { clusterManager: { name } } });
    expect(validate(clusterProfiles, profile('one'))).toEqual([]);
    expect(validate(clusterProfiles, profile('one'), profile('one'))).toEqual([]);
    expect(describeFieldErrors(validate(clusterProfiles, profile('two'), profile('one')))).toBe(
      'spec.clusterManager: ClusterManager is immutable',
    );
  });

  it('says what to do about a kind that it does not know', () => {
    const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
    expect(() => validate(widgets, { metadata: { name: 'w' } })).toThrow(
      /widgets\.example\.com\/v1: use createSchemaValidator/,
    );
  });
});

describe('check', () => {
  it('reports the fields that the server would drop, separately from errors', () => {
    const cluster = { metadata: { name: 'c' }, spec: { hubAcceptsClient: true, hubAcceptClient: true } };
    const { errors, unknownFields, object } = check(managedClusters, cluster);
    expect(errors).toEqual([]);
    expect(unknownFields).toEqual(['spec.hubAcceptClient']);
    expect(object.spec).toEqual({ hubAcceptsClient: true, leaseDurationSeconds: 60 });
  });
});

describe('applyDefaults and prune', () => {
  it('leave their input alone', () => {
    const cluster = { metadata: { name: 'c' }, spec: { hubAcceptsClient: true, unknown: 1 } };
    expect(applyDefaults(managedClusters, cluster).spec).toEqual({ ...cluster.spec, leaseDurationSeconds: 60 });
    expect(prune(managedClusters, cluster).spec).toEqual({ hubAcceptsClient: true });
    expect(cluster.spec).toEqual({ hubAcceptsClient: true, unknown: 1 });
  });
});
