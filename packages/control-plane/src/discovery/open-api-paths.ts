import type { Clock } from '@flotilla/kube';
import type { Registry, ResourceInfo } from '../schema/resource-info.ts';
import type { ApiRequest, ApiResponse } from '../server/exchange.ts';
import type { PathHandler } from '../server/handler.ts';
import { type ApiVersion, apiGroups } from './documents/api-groups.ts';
import { etagOf, type HashedDocument, hashed, isUnchanged } from './documents/etag.ts';
import { perGeneration } from './documents/per-generation.ts';
import { openApiDocument } from './openapi/document.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** `/openapi/v3` and the documents of the group versions below it. `/openapi/v2` is not served: kubectl does without. */
export function openApiPaths({ registry, clock }: { registry: Registry; clock: Clock }): PathHandler {
  const documents = documentStore();
  const versions = perGeneration(registry, () => {
    const all = apiGroups(registry).flatMap((group) => group.versions);
    return new Map(all.map((version) => [pathOf(version), version]));
  });
  const index = perGeneration(registry, () => {
    documents.keepOnly(versions());
    const paths = [...versions()].map(([path, version]) => {
      const { hash } = documents.get(path, version);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    return JSON.stringify({ paths: Object.fromEntries(paths.sort(([left], [right]) => (left < right ? -1 : 1))) });
  });

  return (request) => {
    if (request.path === '/openapi/v3') return plain(200, 'text/plain; charset=utf-8', index());
    if (!request.path.startsWith('/openapi/v3/')) return undefined;
    const path = request.path.slice('/openapi/v3/'.length);
    const version = versions().get(path);
    if (!version) return empty(404);
    return acceptsJson(request) ? serve(request, documents.get(path, version), clock) : empty(406);
  };
}

const pathOf = ({ groupVersion }: ApiVersion): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;

interface DocumentStore {
  get(path: string, version: ApiVersion): HashedDocument;
  /** Forgets the documents of what is no longer served. */
  keepOnly(paths: ReadonlyMap<string, unknown>): void;
}

/** Documents are made when asked for, and again only when a resource in them changed. */
function documentStore(): DocumentStore {
  const made = new Map<string, { readonly from: readonly ResourceInfo[]; readonly document: HashedDocument }>();
  return {
    get(path, version) {
      const present = made.get(path);
      if (present && isSame(present.from, version.resources)) return present.document;
      const document = hashed(JSON.stringify(openApiDocument(version)));
      made.set(path, { from: version.resources, document });
      return document;
    },
    keepOnly(paths) {
      for (const path of made.keys()) if (!paths.has(path)) made.delete(path);
    },
  };
}

const isSame = (left: readonly ResourceInfo[], right: readonly ResourceInfo[]): boolean =>
  left.length === right.length && left.every((info, at) => info === right[at]);

const acceptsJson = ({ headers }: ApiRequest): boolean =>
  (headers.accept ?? '*/*')
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim())
    .some((type) => type === 'application/json' || type === 'application/*' || type === '*/*');

/** A client that names the hash it wants may keep the document for ever; one that names an old hash is sent to the new. */
function serve({ path, query, headers }: ApiRequest, document: HashedDocument, clock: Clock): ApiResponse {
  const common = { vary: 'Accept', etag: etagOf(document) };
  const wanted = query.get('hash');
  if (wanted !== null && wanted !== document.hash) {
    return { status: 301, headers: { ...common, location: `${path}?hash=${document.hash}` }, body: '' };
  }
  const caching: Record<string, string> =
    wanted === null
      ? { 'cache-control': 'no-cache, private' }
      : { 'cache-control': 'public, immutable', expires: new Date(clock.now() + yearMs).toUTCString() };
  if (isUnchanged(headers['if-none-match'], document)) {
    return { status: 304, headers: { ...common, ...caching }, body: '' };
  }
  return {
    status: 200,
    headers: { ...common, ...caching, 'content-type': 'application/json' },
    body: document.text,
  };
}

const plain = (status: number, type: string, body: string): ApiResponse => ({
  status,
  headers: { 'content-type': type, 'cache-control': 'no-cache, private' },
  body,
});

const empty = (status: number): ApiResponse => ({
  status,
  headers: { 'cache-control': 'no-cache, private' },
  body: '',
});
