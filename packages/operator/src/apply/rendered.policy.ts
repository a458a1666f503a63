import { createHash } from 'node:crypto';
import { Annotation } from '@flotilla/api-types';
import { canonicalText, isRecord, type Json, type KubeObject, parseJson, stringifyJson } from '@flotilla/schema';

/** SHA-256 of an object as it is rendered. */
const renderedHash = (object: KubeObject): string =>
  createHash('sha256')
    .update(canonicalText(parseJson(stringifyJson(object)) as Json))
    .digest('hex');

/**
 * An object with the labels of its owner, and the hash of what was rendered. The hash changes when a field is rendered no more, which a
 * comparison with the live object alone does not show.
 */
export function withHash<T extends KubeObject>(object: T, labels: Readonly<Record<string, string>>): T {
  const owned = { ...object, metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } } };
  const annotations = { ...object.metadata?.annotations, [Annotation.SpecHash]: renderedHash(owned) };
  return { ...owned, metadata: { ...owned.metadata, annotations } };
}

/** Whether a live object has all that is rendered. What the server or others added beside it does not count; lists are compared whole. */
export function hasAll(live: unknown, rendered: unknown): boolean {
  if (rendered === undefined) return true;
  if (Array.isArray(rendered)) {
    // An API server answers null for an empty list of some kinds, such as the rules of a role.
    if (!Array.isArray(live)) return rendered.length === 0 && (live === undefined || live === null);
    return live.length === rendered.length && rendered.every((item, at) => hasAll(live[at], item));
  }
  if (isRecord(rendered)) {
    const fields = Object.entries(rendered);
    if (!isRecord(live)) return fields.every(([, value]) => value === undefined) && live === undefined;
    return fields.every(([field, value]) => hasAll(live[field], value));
  }
  return live === rendered;
}

interface Replaceable extends KubeObject {
  spec?: object;
}

/**
 * Whether a Deployment is as it was last written: OCM's rule. Any write to its spec counts in `metadata.generation`, so one that differs
 * from the recorded generation was edited by somebody else.
 */
export const isUnchanged = (live: KubeObject, rendered: KubeObject, lastGeneration: number | undefined): boolean =>
  live.metadata?.generation === lastGeneration && hasAll(live.metadata, rendered.metadata);

/** What replaces a live object: the rendered spec as a whole; labels and annotations of others stay. */
export const replacement = <T extends Replaceable>(live: T, rendered: T): T => ({
  ...live,
  ...rendered,
  metadata: {
    ...live.metadata,
    labels: { ...live.metadata?.labels, ...rendered.metadata?.labels },
    annotations: { ...live.metadata?.annotations, ...rendered.metadata?.annotations },
  },
});
