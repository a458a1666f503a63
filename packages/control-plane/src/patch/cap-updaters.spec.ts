import fc from 'fast-check';
import { expect, it } from 'vitest';
import { capUpdaters } from './cap-updaters.ts';
import { fieldPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { encodeFieldsV1 } from './fields-v1.ts';
import { type Managers, managerKey, type Ownership } from './managed-fields.ts';

const versions = ['v1', 'v2'];

/** Updaters of one second each, the oldest first. */
const managersOf = (updaters: readonly (readonly [version: number, fields: readonly string[]])[]): Managers =>
  new Map(
    updaters.map(([version, names], index): [string, Ownership] => {
      const apiVersion = versions[version] ?? '';
      const identity = { manager: `m${index}`, operation: 'Update', apiVersion } as const;
      const fields = FieldSet.of(...names.map((name) => fieldPath('data', name)));
      return [managerKey(identity), { identity, apiVersion, fields, time: `2026-01-01T00:00:${10 + index}Z` }];
    }),
  );

const fieldsByVersion = (managers: Managers) =>
  versions.map((version) => {
    const sets = [...managers.values()].filter(({ apiVersion }) => apiVersion === version).map(({ fields }) => fields);
    return encodeFieldsV1(FieldSet.unionOf(sets));
  });

it('loses no field of any version, and leaves the newest updaters as they are', () => {
  const updater = fc.tuple(fc.nat(1), fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')));
  fc.assert(
    fc.property(fc.array(updater, { maxLength: 30 }), (updaters) => {
      const managers = managersOf(updaters);
      const capped = capUpdaters(managers);
      expect(capped.size).toBe(Math.min(managers.size, 10));
      expect(fieldsByVersion(capped)).toEqual(fieldsByVersion(managers));
      const newest = [...managers].slice(-7);
      for (const [key, ownership] of newest) expect(capped.get(key)).toBe(ownership);
    }),
  );
});
