import { isRecord, type KubeObject } from '@flotilla/schema';
import { parseAllDocuments, type Tags } from 'yaml';
import { CliError } from '../errors/cli-error.ts';

/** An object of any kind, as it is in a file. */
export interface Manifest extends KubeObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** Kubernetes files are YAML 1.1 as Go reads it: `0644` is octal, but times and `1:30` are texts. */
const withoutTimes = (tags: Tags): Tags =>
  tags.filter((tag) => tag !== 'timestamp' && (typeof tag === 'string' || !isTimeTag(tag)));

const isTimeTag = ({ tag, format }: { tag: string; format?: string }): boolean =>
  tag === 'tag:yaml.org,2002:timestamp' || format === 'TIME';

const isManifest = (value: unknown): value is Manifest =>
  isRecord(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string';

/** The objects in a text of one or more YAML documents, or JSON; lists are taken apart. `source` says where it is from. */
export function parseManifests(text: string, source: string): Manifest[] {
  const options = { version: '1.1', customTags: withoutTimes, logLevel: 'error', intAsBigInt: true } as const;
  const documents = parseAllDocuments(text, options);
  return documents.flatMap((document, index) => {
    const where = documents.length > 1 ? `document ${index + 1} of ${source}` : source;
    const [error] = document.errors;
    if (error) throw unusable(`${where} is not YAML: ${error.message}`, 'Fix it at the line that the message shows.');
    return manifestsIn(document.toJS({ reviver: numberIfExact }), where);
  });
}

/** Whole numbers of 64 bits keep their digits, as `stringifyJson` writes them; all others are numbers. */
const numberIfExact = (_key: unknown, value: unknown): unknown =>
  typeof value === 'bigint' && (Number.isSafeInteger(Number(value)) || BigInt.asIntN(64, value) !== value)
    ? Number(value)
    : value;

function manifestsIn(value: unknown, where: string): Manifest[] {
  // What is between two separators, or comments alone.
  if (value === null || value === undefined) return [];
  if (!isManifest(value)) {
    throw unusable(`${where} is not a Kubernetes object`, 'It must have apiVersion and kind.');
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
