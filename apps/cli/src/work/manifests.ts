import type { KubeObject } from '@flotilla/api-types';
import { parseAllDocuments, type Tags } from 'yaml';
import { CliError } from '../errors.ts';

/** An object of any kind, as it is in a file. */
export interface Manifest extends KubeObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** Files of Kubernetes are YAML 1.1 as Go reads it: `0644` is octal, but times and `1:30` are texts. */
const withoutTimes = (tags: Tags): Tags =>
  tags.filter((tag) => tag !== 'timestamp' && (typeof tag === 'string' || !isTimeTag(tag)));

const isTimeTag = ({ tag, format }: { tag: string; format?: string }): boolean =>
  tag === 'tag:yaml.org,2002:timestamp' || format === 'TIME';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isManifest = (value: unknown): value is Manifest =>
  isRecord(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string';

/** The objects in a text of one or more YAML documents, or JSON; lists are taken apart. `source` says where it is from. */
export function parseManifests(text: string, source: string): Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', customTags: withoutTimes, logLevel: 'error' });
  return documents.flatMap((document, index) => {
    const where = documents.length > 1 ? `document ${index + 1} of ${source}` : source;
    const [error] = document.errors;
    if (error) throw unusable(`${where} is not YAML: ${error.message}`, 'Mend it at the place that the message shows.');
    return manifestsIn(document.toJS(), where);
  });
}

function manifestsIn(value: unknown, where: string): Manifest[] {
  // What is between two separators, or comments alone.
  if (value === null || value === undefined) return [];
  if (!isManifest(value)) {
    throw unusable(`${where} is no object of Kubernetes`, 'It must have apiVersion and kind.');
  }
  if (!value.kind.endsWith('List') || !Array.isArray(value.items)) return [value];
  return value.items.flatMap((item, index) => manifestsIn(item, `item ${index} of ${where}`));
}

const unusable = (message: string, hint: string): CliError => new CliError('usage', message, hint);

/** `v1 ConfigMap default/hello`. */
export function describeManifest({ apiVersion, kind, metadata }: KubeObject): string {
  const name = metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : metadata?.name;
  return `${apiVersion} ${kind} ${name ?? '(without a name)'}`;
}
