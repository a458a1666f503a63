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
    const bucket = capped.get(takesFirst ? first : bucketKey);
    if (takesFirst) capped.delete(first);
    capped.delete(key);
    capped.set(bucketKey, {
      ...ownership,
      identity,
      fields: bucket ? ownership.fields.union(bucket.fields) : ownership.fields,
    });
    surplus--;
  }
  return capped;
}
