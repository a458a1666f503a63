import { semanticEqual } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../../manifest.ts';
import { mergeMetadata } from './metadata.ts';

/** What is to be done so that a live object is as a manifest requires. */
export type UpdateStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'replace'; readonly object: Manifest }
  /** The API server would refuse the change. */
  | { readonly kind: 'recreate' };

/** Compares a live object with what is required, in the way of one kind. Pure. */
export type UpdateRule = (required: Manifest, live: Manifest) => UpdateStep;

export const nothing: UpdateStep = { kind: 'nothing' };

/** Absent and empty are the same for a field that is a map or a list. */
const orAbsent = (value: unknown): unknown => (isRecord(value) && Object.keys(value).length === 0 ? undefined : value);

/** Whether a field says the same; an empty map is as good as none. */
export const sameField = (a: unknown, b: unknown): boolean => semanticEqual(orAbsent(a), orAbsent(b));

/**
 * The rule of a kind of which some fields are compared: labels, annotations and owners are merged into the live object, those
 * fields are set, and all other fields are left alone. `prepare` puts the required object into the form that a server has it in.
 */
export function ruleOfFields(
  fields: readonly string[],
  prepare: (required: Manifest, live: Manifest) => Manifest = (required) => required,
): UpdateRule {
  return (given, live) => {
    const required = prepare(given, live);
    const metadata = mergeMetadata(live.metadata ?? {}, required.metadata ?? {});
    const changed = fields.filter((field) => !sameField(required[field], live[field]));
    if (metadata === live.metadata && changed.length === 0) return nothing;
    const object: Manifest = { ...live, metadata };
    for (const field of changed) {
      if (required[field] === undefined) delete object[field];
      else object[field] = required[field];
    }
    return { kind: 'replace', object };
  };
}

/** The rule of a kind whose changed fields the API server refuses: the object is deleted and created again. */
export function recreatedFor(immutable: (required: Manifest, live: Manifest) => boolean, rule: UpdateRule): UpdateRule {
  return (required, live) => (immutable(required, live) ? { kind: 'recreate' } : rule(required, live));
}
