import { isOwnedBy } from '@flotilla/install';
import { mergeValues } from '@flotilla/install/chart';
import { type KubeClient, keyOf } from '@flotilla/kube';
import { isRecord, type KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';
import { ifServed } from '../cluster/served.ts';

/** Values that say whether objects are created. */
const optional = ['podDisruptionBudget', 'networkPolicy', 'monitoring'];

const idOf = (object: KubeObject): string => `${object.apiVersion} ${object.kind} ${keyOf(object)}`;

/** What a file disables, as if it enabled it. */
const enabled = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values)
      .filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]))
      .map(([key, value]) => [key, value.enabled === false ? { enabled: true } : enabled(value)]),
  );

/** Objects of an earlier command that a file of values disables: they exist, and were not made by something else. */
export async function disabledObjects(
  client: KubeClient,
  fromFile: object,
  render: (values: object) => readonly KubeObject[],
): Promise<KubeObject[]> {
  const given = Object.fromEntries(Object.entries(fromFile).filter(([key]) => optional.includes(key)));
  const kept = new Set(render(fromFile).map(idOf));
  const disabled = render(mergeValues<object>(fromFile, enabled(given))).filter((object) => !kept.has(idOf(object)));
  const found = await Promise.all(
    disabled.map(({ apiVersion = '', kind = '', ...object }) =>
      ifServed(async () => (await client.dynamic({ apiVersion, kind })).find(keyOf(object)), undefined),
    ),
  );
  return found.filter((object) => object !== undefined).filter((object) => isOwnedBy(cliOwner, object));
}
