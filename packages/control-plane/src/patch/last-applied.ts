import { isRecord, parseJson } from '@flotilla/schema';
import { type Conflict, conflictPaths } from './conflicts.ts';
import type { FieldSet } from './field-set.ts';
import { goJson } from './go-format.ts';
import { fieldOf, type JsonObject, valueAt, withField, withoutField } from './json.ts';
import type { ValueType } from './object-type.ts';
import { compareTyped } from './typed-compare.ts';
import { fieldsOf } from './typed-fields.ts';
import { checkType, TypeMismatch } from './typed-value.ts';

/** Where client-side `kubectl apply` keeps what it applied. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager for which a change from client-side to server-side apply is made easy. */
export const kubectlManager = 'kubectl';

const maxAnnotationBytes = 256 * 1024;

/**
 * The conflicts that are left when fields count as kubectl's own which it set by client-side apply and which did not change since.
 */
export function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  type: ValueType,
  apiVersion: string,
  live: JsonObject,
): readonly Conflict[] {
  const own = fieldsOfLastApplied(type, apiVersion, live);
  if (!own || conflictPaths(conflicts).difference(own).isEmpty) return own ? [] : conflicts;
  return conflicts.filter(({ path }) => !own.has(path));
}

function fieldsOfLastApplied(type: ValueType, apiVersion: string, live: JsonObject): FieldSet | undefined {
  const lastApplied = parseLastApplied(live);
  if (!lastApplied || fieldOf(lastApplied, 'apiVersion') !== apiVersion) return undefined;
  try {
    checkType(type, live, 'refused');
    checkType(type, lastApplied, 'refused');
  } catch (error) {
    if (error instanceof TypeMismatch) return undefined;
    throw error;
  }
  const { modified, added, removed } = compareTyped(type, lastApplied, live);
  return fieldsOf(type, lastApplied).difference(modified).difference(added).difference(removed);
}

function parseLastApplied(live: JsonObject): JsonObject | undefined {
  const annotation = annotationOf(live);
  if (annotation === undefined) return undefined;
  try {
    const parsed: unknown = parseJson(annotation);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    // Anyone can write the annotation; what is not JSON counts as absent.
    return undefined;
  }
}

function annotationOf(object: JsonObject): string | undefined {
  const annotation = valueAt(object, 'metadata', 'annotations', lastAppliedAnnotation);
  return typeof annotation === 'string' && annotation !== '' ? annotation : undefined;
}

/** The merged object with its last-applied annotation, if it has one, brought up to date, so that client-side apply works again. */
export function syncLastApplied(merged: JsonObject, applied: JsonObject): JsonObject {
  if (annotationOf(merged) === undefined) return merged;
  const metadata = valueAt(merged, 'metadata');
  const annotations = valueAt(merged, 'metadata', 'annotations');
  if (!isRecord(metadata) || !isRecord(annotations)) return merged;
  const updated = withField(annotations, lastAppliedAnnotation, `${goJson(withoutLastApplied(applied))}\n`);
  const fits = sizeOf(updated) <= maxAnnotationBytes;
  return withField(
    merged,
    'metadata',
    withField(metadata, 'annotations', fits ? updated : withoutField(updated, lastAppliedAnnotation)),
  );
}

function withoutLastApplied(applied: JsonObject): JsonObject {
  const metadata = valueAt(applied, 'metadata');
  const annotations = valueAt(applied, 'metadata', 'annotations');
  if (!isRecord(metadata) || !isRecord(annotations)) return applied;
  return withField(
    applied,
    'metadata',
    withField(metadata, 'annotations', withoutField(annotations, lastAppliedAnnotation)),
  );
}

const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce(
    (size, [key, value]) => size + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
