import type { Clock } from '@flotilla/kube';
import type { ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { PathHandler } from '../contracts/handlers.ts';
import type { Registry, ResourceInfo } from '../contracts/resource-info.ts';
import { type ApiVersion, apiGroups } from './documents/api-groups.ts';
import { etagOf, isUnchanged } from './documents/etag.ts';
import { perGeneration } from './documents/per-generation.ts';
import { type Descriptions, loadDescriptions } from './openapi/descriptions.ts';
import { openApiDocument } from './openapi/document.ts';
import { type PackedDocument, packed, packedBody } from './openapi/packed-document.ts';
import { swaggerDocuments } from './openapi/v2/swagger-documents.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** `/openapi/v3` with the documents of the group versions below it, and `/openapi/v2`, which is one document of all groups. */
export function openApiPaths({ registry, clock }: { registry: Registry; clock: Clock }): PathHandler {
  const documents = documentStore();
  const versions = perGeneration(registry, () => {
    const all = apiGroups(registry).flatMap((group) => group.versions);
    return new Map(all.map((version) => [pathOf(version), version]));
  });
  const index = perGeneration(registry, async () => {
    documents.keepOnly(versions());
    const descriptions = loadDescriptions();
    const paths = [...versions()].map(async ([path, version]) => {
      const { hash } = await documents.get(path, version, () => descriptions);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    const sorted = (await Promise.all(paths)).sort(([left], [right]) => (left < right ? -1 : 1));
    return JSON.stringify({ paths: Object.fromEntries(sorted) });
  });
  const swagger = swaggerDocuments(perGeneration(registry, () => [...versions().values()]));

  const serveOpenApi = async (request: ApiRequest): Promise<ApiResponse> => {
    if (request.path === '/openapi/v3') return plain(200, 'text/plain; charset=utf-8', await index());
    if (request.path === '/openapi/v2') {
      const document = await swagger(request.headers.accept);
      return document ? serve(request, document, clock) : empty(406);
    }
    const path = request.path.slice('/openapi/v3/'.length);
    const version = versions().get(path);
    if (!version) return empty(404);
    return acceptsJson(request)
      ? serve(request, await documents.get(path, version, loadDescriptions), clock)
      : empty(406);
  };
  return (request) => (/^\/openapi\/(v2$|v3$|v3\/)/.test(request.path) ? serveOpenApi(request) : undefined);
}

const pathOf = ({ groupVersion }: ApiVersion): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;

interface DocumentStore {
  get(path: string, version: ApiVersion, descriptions: () => Promise<Descriptions>): Promise<PackedDocument>;
  /** Forgets the documents of what is no longer served. */
  keepOnly(paths: ReadonlyMap<string, unknown>): void;
}

/** Documents are made when asked for, and again only when a resource in them changed. */
function documentStore(): DocumentStore {
  const made = new Map<string, { readonly from: readonly ResourceInfo[]; readonly document: PackedDocument }>();
  return {
    async get(path, version, descriptions) {
      const present = made.get(path);
      if (present && isSame(present.from, version.resources)) return present.document;
      const document = packed('application/json', JSON.stringify(openApiDocument(version, await descriptions())));
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
function serve(request: ApiRequest, document: PackedDocument, clock: Clock): ApiResponse {
  const { path, query, headers } = request;
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
  const { body, headers: typed } = packedBody(document, request);
  return { status: 200, headers: { ...common, ...caching, ...typed }, body };
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
