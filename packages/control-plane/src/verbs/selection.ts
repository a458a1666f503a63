import type { KubeObject } from '@flotilla/schema';
import type { ResourceInfo } from '../contracts/resource-info.ts';
import { badRequest } from '../errors/api-errors.ts';
import { type FieldTerm, parseFieldSelector } from '../requests/field-selector.ts';
import { parseQuerySelector } from '../requests/label-selector.ts';
import { refuseSyntax } from './body.ts';

/** Whether an object is selected. `selectsAll` means that there is no selector, so that lists can count the remaining items. */
export interface Selection {
  readonly selectsAll: boolean;
  matches(object: KubeObject): boolean;
}

/** The label and field selector of a list, watch or deletecollection. */
export function selectionOf(info: ResourceInfo, query: URLSearchParams): Selection {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const labelSelector = labels === '' ? undefined : parseLabels(labels);
  const terms = fields === '' ? [] : parseFields(info, fields);
  return {
    selectsAll: labelSelector === undefined && terms.length === 0,
    matches: (object) =>
      (labelSelector === undefined || labelSelector(object.metadata?.labels ?? {})) &&
      terms.every(({ field, equal, value }) => (fieldAt(info, object, field) === value) === equal),
  };
}

function parseLabels(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  return refuseSyntax(() => parseQuerySelector(text), badRequest);
}

function parseFields(info: ResourceInfo, text: string): readonly FieldTerm[] {
  const terms = refuseSyntax(() => parseFieldSelector(text), badRequest);
  const unknown = terms.find(({ field }) => !isSelectable(info, field));
  if (unknown) throw unknownField(info, unknown.field);
  return terms;
}

/** Kinds that have nothing to select by but their name share one message. */
const unknownField = (info: ResourceInfo, path: string) =>
  badRequest(
    info.source === 'built-in' && info.selectableFields.length === 0
      ? `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${path}`,
  );

const isSelectable = (info: ResourceInfo, path: string): boolean =>
  path === 'metadata.name' ||
  (path === 'metadata.namespace' && (info.namespaced || info.source === 'built-in')) ||
  info.selectableFields.includes(path);

/** The field as selectors compare it: absent is the empty string, booleans and numbers are written out. */
function fieldAt(info: ResourceInfo, object: KubeObject, path: string): string {
  if (info.storage === '/events' && path === 'reportingComponent') {
    return stringAt(object, 'reportingController') || stringAt(object, 'reportingComponent');
  }
  if (info.storage === '/events' && path === 'source') {
    return stringAt(object, 'source.component') || stringAt(object, 'reportingController');
  }
  if (info.storage === '/nodes' && path === 'spec.unschedulable') return stringAt(object, path) || 'false';
  if (info.storage === 'batch/jobs' && path === 'status.successful') return stringAt(object, 'status.succeeded') || '0';
  if (info.storage === 'apps/replicasets' && path === 'status.replicas') return stringAt(object, path) || '0';
  return stringAt(object, path);
}

function stringAt(object: object, path: string): string {
  let value: unknown = object;
  for (const part of path.split('.')) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
