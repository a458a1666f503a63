import { type KubeObject, stringifyJson } from '@flotilla/schema';
import type { ObjectList, Outcome, Representation, WatchMessage } from '../contracts/call.ts';
import type { ApiResponse } from '../contracts/exchange.ts';
import { apiVersionOf, type ResourceInfo } from '../contracts/resource-info.ts';
import { toYaml } from './yaml-output.ts';

/** Makes rows of objects; see `discovery/`. */
export type TableMaker = (
  info: ResourceInfo,
  objects: readonly KubeObject[],
  options: { includeObject: string; metadata: object; withColumns: boolean },
) => object;

const contentTypes = { json: 'application/json', yaml: 'application/yaml' } as const;

/** Writes what a verb answered in the form the client asked for. */
export function encodeOutcome(
  outcome: Outcome,
  info: ResourceInfo,
  representation: Representation,
  query: URLSearchParams,
  toTable: TableMaker,
): ApiResponse {
  const includeObject = query.get('includeObject') ?? 'Metadata';
  const table = (objects: readonly KubeObject[], metadata: object, withColumns = true): object =>
    toTable(info, objects, { includeObject, metadata, withColumns });
  if (outcome.kind === 'watch') {
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: watchLines(outcome.events, info, representation, table),
    };
  }
  if (outcome.kind === 'text') {
    return {
      status: 200,
      headers: { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' },
      body: outcome.chunks,
    };
  }
  if (outcome.kind === 'list') return encode(200, listBody(outcome.list, info, representation, table), representation);
  const { object, status } = outcome;
  // A Status, or an answer of another kind, is written as it is.
  const foreign = object.kind !== info.kind;
  return encode(status, foreign ? object : objectBody(object, representation, table), representation);
}

/** Any value, in the client's encoding. */
export function encode(status: number, value: unknown, { encoding }: Pick<Representation, 'encoding'>): ApiResponse {
  return {
    status,
    headers: { 'content-type': contentTypes[encoding], 'cache-control': 'no-cache, private' },
    body: encoding === 'json' ? `${stringifyJson(value)}\n` : toYaml(value),
  };
}

function objectBody(
  object: KubeObject,
  { as }: Representation,
  table: (objects: readonly KubeObject[], metadata: object) => object,
): object {
  if (as === 'metadata')
    return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
  return as === 'table' ? table([object], { resourceVersion: object.metadata?.resourceVersion }) : object;
}

function listBody(
  { items, metadata }: ObjectList,
  info: ResourceInfo,
  { as }: Representation,
  table: (objects: readonly KubeObject[], metadata: object) => object,
): object {
  if (as === 'table') return table(items, metadata);
  if (as === 'metadata') {
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      // The real server's list of nothing is null here, and only here.
      items: items.length === 0 ? null : items.map(metadataOf),
    };
  }
  // Lists of custom resources say that there is no next page; others leave it out.
  const page = info.source === 'custom' ? { continue: '', ...metadata } : metadata;
  return { kind: info.listKind, apiVersion: apiVersionOf(info), metadata: page, items: listItems(info, items) };
}

const metadataOf = ({ metadata }: KubeObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

/** Built-in lists leave out what the list itself says; custom ones repeat it in each item. */
const listItems = (info: ResourceInfo, items: readonly KubeObject[]): readonly object[] =>
  info.source === 'custom' ? items : items.map(({ apiVersion: _, kind: __, ...rest }) => rest);

/** One line per event. An object is written once, however many watch it. */
async function* watchLines(
  events: AsyncIterable<WatchMessage>,
  info: ResourceInfo,
  representation: Representation,
  table: (objects: readonly KubeObject[], metadata: object, withColumns: boolean) => object,
): AsyncGenerator<string> {
  let first = true;
  for await (const event of events) {
    if (event.type === 'BOOKMARK') yield bookmarkLine(event, info, representation, table);
    else if (event.type === 'ERROR') yield `${stringifyJson({ type: 'ERROR', object: event.status })}\n`;
    else if (representation.as === 'table') {
      const { resourceVersion } = event.object.metadata ?? {};
      yield `${stringifyJson({ type: event.type, object: table([event.object], { resourceVersion }, first) })}\n`;
      first = false;
    } else yield `{"type":"${event.type}","object":${objectJson(event.object, representation)}}\n`;
  }
}

const written = new WeakMap<KubeObject, string>();
const writtenMetadata = new WeakMap<KubeObject, string>();

function objectJson(object: KubeObject, { as }: Representation): string {
  const cache = as === 'metadata' ? writtenMetadata : written;
  let json = cache.get(object);
  if (json === undefined) {
    json = stringifyJson(
      as === 'metadata'
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
        : object,
    );
    cache.set(object, json);
  }
  return json;
}

/** A bookmark is an object that has nothing but its metadata; in a table it is a row of its own. */
function bookmarkLine(
  { resourceVersion, initialEventsEnd }: Extract<WatchMessage, { type: 'BOOKMARK' }>,
  info: ResourceInfo,
  { as }: Representation,
  table: (objects: readonly KubeObject[], metadata: object, withColumns: boolean) => object,
): string {
  const metadata = {
    resourceVersion,
    ...(initialEventsEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
  };
  const object =
    as === 'table'
      ? table([{ metadata }], { resourceVersion }, false)
      : as === 'metadata'
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
        : { kind: info.kind, apiVersion: apiVersionOf(info), metadata };
  return `${stringifyJson({ type: 'BOOKMARK', object })}\n`;
}
