import { FieldSet } from './field-set.ts';
import { compareText } from './json.ts';
import { type ManagerIdentity, type Managers, managerKey, secondsOf } from './managed-fields.ts';

/** How many updaters an object keeps apart. */
const maxUpdaters = 10;

/**
 * Merges the oldest updaters of a version into one `ancient-changes` until there are few enough, so that an object that many
 * clients write does not grow without bound.
 */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { identity }]) => identity.operation === 'Update');
  let surplus = updaters.length - maxUpdaters;
  if (surplus <= 0) return managers;
  const oldestFirst = updaters.sort(([aKey, a], [bKey, b]) => secondsOf(a) - secondsOf(b) || compareText(aKey, bKey));
  const capped = new Map(managers);
  // What each merged entry consists of. A union copies its sets, so that it is made once, of all of them.
  const parts = new Map<string, FieldSet[]>();
  const firstOfVersion = new Map<string, string>();
  for (const [key, ownership] of oldestFirst) {
    if (surplus <= 0) break;
    const { apiVersion } = ownership;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, key);
      continue;
    }
    const identity: ManagerIdentity = { manager: 'ancient-changes', operation: 'Update', apiVersion };
    const bucketKey = managerKey(identity);
    const takesFirst = key === bucketKey || !capped.has(bucketKey);
    const source = takesFirst ? first : bucketKey;
    const bucket = capped.get(source);
    const sets = parts.get(source) ?? (bucket ? [bucket.fields] : []);
    if (takesFirst) {
      capped.delete(first);
      parts.delete(first);
    }
    capped.delete(key);
    capped.set(bucketKey, { ...ownership, identity });
    sets.push(ownership.fields);
    parts.set(bucketKey, sets);
    surplus--;
  }
  for (const [key, sets] of parts) {
    const ownership = capped.get(key);
    if (ownership) capped.set(key, { ...ownership, fields: FieldSet.unionOf(sets) });
  }
  return capped;
}
