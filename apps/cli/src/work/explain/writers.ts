import { FieldManager } from '@flotilla/api-types';
import { isRecord, type KubeObject, type ManagedFieldsEntry } from '@flotilla/schema';

/** A field manager that writes to an object besides the agent. */
export interface Writer {
  readonly manager: string;
  readonly operation: string;
  readonly time?: string;
  /** Paths of the fields that it wrote last, in the usual notation. */
  readonly fields: readonly string[];
  /** Those of them that the manifest sets too: the two will overwrite each other. */
  readonly contested: readonly string[];
}

const mostFields = 8;

/** The leaves of a set of fields, each as the steps to it: `f:spec`, `k:{"name":"a"}`. */
function leavesOf(fields: unknown, steps: readonly string[] = []): (readonly string[])[] {
  const children = isRecord(fields) ? Object.entries(fields).filter(([step]) => step !== '.') : [];
  if (children.length === 0) return steps.length > 0 ? [steps] : [];
  return children.flatMap(([step, below]) => leavesOf(below, [...steps, step]));
}

function pathOf(steps: readonly string[]): string {
  const parts = steps.map((step) => {
    const text = step.slice(2);
    if (step.startsWith('f:')) return /^[\w-]+$/.test(text) ? `.${text}` : `["${text}"]`;
    if (!step.startsWith('k:')) return `[${text}]`;
    const key: unknown = JSON.parse(text);
    return `[${
      isRecord(key)
        ? Object.entries(key)
            .map(([name, value]) => `${name}=${value}`)
            .join(',')
        : text
    }]`;
  });
  return parts.join('').replace(/^\./, '');
}

/** Whether an object has something where the steps lead. */
function isSet(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined;
  const text = step.slice(2);
  if (step.startsWith('f:')) return isRecord(value) && text in value && isSet(value[text], rest);
  if (!Array.isArray(value)) return false;
  const wanted: unknown = step.startsWith('i:') ? Number(text) : JSON.parse(text);
  if (typeof wanted === 'number' && step.startsWith('i:')) return isSet(value[wanted], rest);
  return value.some((item) => isItem(item, wanted) && isSet(item, rest));
}

const isItem = (item: unknown, wanted: unknown): boolean =>
  isRecord(wanted) && isRecord(item)
    ? Object.entries(wanted).every(([name, value]) => item[name] === value)
    : item === wanted;

/** Fields that every object has: not a conflict. */
const isIdentity = (path: string): boolean => ['metadata.name', 'metadata.namespace'].includes(path);

function writerOf({ manager = '', operation = '', time, fieldsV1 }: ManagedFieldsEntry, manifest: unknown): Writer {
  const leaves = leavesOf(fieldsV1).filter(([first]) => first !== 'f:status');
  const contested = leaves.filter((steps) => isSet(manifest, steps)).map(pathOf);
  return {
    manager,
    operation,
    ...(time !== undefined && { time }),
    fields: leaves.map(pathOf).slice(0, mostFields),
    contested: contested.filter((path) => !isIdentity(path)).slice(0, mostFields),
  };
}

/** Who wrote to an object besides the agent, other than its status. */
export const otherWriters = ({ metadata }: KubeObject, manifest: unknown): Writer[] =>
  (metadata?.managedFields ?? [])
    .filter(({ manager = '', subresource }) => !manager.startsWith(FieldManager.WorkAgent) && subresource !== 'status')
    .map((entry) => writerOf(entry, manifest))
    .filter(({ fields }) => fields.length > 0);
