import type { KubeObject } from '@flotilla/schema';
import { structuredPatch } from 'diff';
import { stringify } from 'yaml';

/** One manifest that is other than before. */
export interface ManifestChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** `Deployment default/agent`. */
  readonly object: string;
  /** Lines as `diff -u` has them, without its head. */
  readonly lines: readonly string[];
}

const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata?.namespace ? `${metadata.namespace}/` : ''}${metadata?.name}`;
const keyOf = (object: KubeObject): string => `${object.apiVersion} ${nameOf(object)}`;
const textOf = (object: KubeObject | undefined): string =>
  object === undefined ? '' : stringify(object, { lineWidth: 0, sortMapEntries: true });

/** What became of the manifests of an add-on on a cluster, in the order of the new ones; what was removed comes last. */
export function manifestChanges(before: readonly KubeObject[], after: readonly KubeObject[]): ManifestChange[] {
  const earlier = new Map(before.map((object) => [keyOf(object), object]));
  const later = new Map(after.map((object) => [keyOf(object), object]));
  const keys = [...later.keys(), ...[...earlier.keys()].filter((key) => !later.has(key))];
  return keys.flatMap((key) => changeOf(earlier.get(key), later.get(key)));
}

function changeOf(before: KubeObject | undefined, after: KubeObject | undefined): ManifestChange[] {
  const object = after ?? before;
  const [old, now] = [textOf(before), textOf(after)];
  if (!object || old === now) return [];
  const { hunks } = structuredPatch('', '', old, now, '', '', { context: 3 });
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? ['…'] : []), ...hunk.lines]);
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [{ kind, object: nameOf(object), lines }];
}

const signs = { added: '+', removed: '-', changed: '~' } as const;

/** Changes as text. What is all new or all gone is named and not printed. */
export const changeLines = (cluster: string, changes: readonly ManifestChange[]): string[] =>
  changes.flatMap(({ kind, object, lines }) => [
    `${cluster}  ${signs[kind]} ${object}`,
    ...(kind === 'changed' ? lines.map((line) => `    ${line}`) : []),
  ]);
