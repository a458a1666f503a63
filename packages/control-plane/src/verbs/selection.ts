import type { KubeObject } from '@flotilla/api-types';
import { badRequest } from '../errors/api-errors.ts';
import type { ResourceInfo } from '../schema/resource-info.ts';
import { refuseSyntax } from './body.ts';
import { parseQuerySelector } from './label-selector.ts';

/** Whether an object is wanted. `everything` tells that nothing was asked, which lets lists count what remains. */
export interface Selection {
  readonly everything: boolean;
  matches(object: KubeObject): boolean;
}

/** The label and field selector of a list, watch or deletecollection. */
export function selectionOf(info: ResourceInfo, query: URLSearchParams): Selection {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const labelSelector = labels === '' ? undefined : parseLabels(labels);
  const terms = fields === '' ? [] : parseFields(info, fields);
  return {
    everything: labelSelector === undefined && terms.length === 0,
    matches: (object) =>
      (labelSelector === undefined || labelSelector(object.metadata?.labels ?? {})) &&
      terms.every(({ path, equal, value }) => (fieldAt(info, object, path) === value) === equal),
  };
}

function parseLabels(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  return refuseSyntax(() => parseQuerySelector(text), badRequest);
}

interface FieldTerm {
  readonly path: string;
  readonly equal: boolean;
  readonly value: string;
}

function parseFields(info: ResourceInfo, text: string): FieldTerm[] {
  return splitUnescaped(text, ',')
    .filter((term) => term !== '')
    .map((term) => {
      const parsed = /^((?:[^\\=!]|\\.)*)(==|!=|=)(.*)$/s.exec(term);
      if (!parsed) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, path = '', operator, value = ''] = parsed;
      if (!isSelectable(info, path)) {
        throw unknownField(info, path);
      }
      return { path, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') };
    });
}

/** Kinds that have nothing to select by but their name share one message. */
const unknownField = (info: ResourceInfo, path: string) =>
  badRequest(
    info.source === 'built-in' && info.selectableFields.length === 0
      ? `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${path}`,
  );

const splitUnescaped = (text: string, separator: string): string[] => {
  const parts = [''];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '\\' && index + 1 < text.length) parts[parts.length - 1] += character + (text[++index] ?? '');
    else if (character === separator) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
};

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
