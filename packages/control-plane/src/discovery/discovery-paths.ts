import type { ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { PathHandler } from '../contracts/handlers.ts';
import type { Registry } from '../contracts/resource-info.ts';
import { pathMethodNotAllowed, pathNotFound } from '../errors/api-errors.ts';
import { encode } from '../server/encode.ts';
import { aggregatedType, discoveryForm, documentEncoding } from './documents/accept-discovery.ts';
import { apiGroupDiscoveryList } from './documents/aggregated.ts';
import { type ApiGroup, apiGroups } from './documents/api-groups.ts';
import { etagOf, type HashedDocument, hashed, isUnchanged } from './documents/etag.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './documents/legacy.ts';
import { perGeneration } from './documents/per-generation.ts';

export interface DiscoveryOptions {
  readonly registry: Registry;
  /** `host:port` for clients; known only when the server listens. */
  readonly serverAddress: () => string;
}

/** `/api` and `/apis` with the paths below them that are not resources. */
export function discoveryPaths({ registry, serverAddress }: DiscoveryOptions): PathHandler {
  const groups = perGeneration(registry, () => apiGroups(registry));
  const aggregated = perGeneration(registry, () => {
    const isCore = ({ name }: ApiGroup): boolean => name === '';
    return {
      api: hashed(`${JSON.stringify(apiGroupDiscoveryList(groups().filter(isCore)))}\n`),
      apis: hashed(`${JSON.stringify(apiGroupDiscoveryList(groups().filter((group) => !isCore(group))))}\n`),
    };
  });
  const find = (name: string): ApiGroup | undefined => groups().find((group) => group.name === name);

  return (request) => {
    const [root, ...rest] = request.path.replace(/\/$/, '').split('/').slice(1);
    if (root === 'api' && rest.length === 0) {
      return served(request, () => eitherForm(request, aggregated().api, () => apiVersions(find(''), serverAddress())));
    }
    if (root === 'api' && rest.length === 1) return resources(request, find(''), rest[0]);
    if (root !== 'apis') return undefined;
    if (rest.length === 0) return eitherForm(request, aggregated().apis, () => apiGroupList(groups()));
    const [name = '', version] = rest;
    const group = name === '' ? undefined : find(name);
    if (!group || rest.length > 2) return undefined;
    return version === undefined ? document(request, apiGroup(group)) : resources(request, group, version);
  };
}

/** The versions of built-in groups are fixed; below a custom group any path may be valid. */
function resources(
  request: ApiRequest,
  group: ApiGroup | undefined,
  version: string | undefined,
): ApiResponse | undefined {
  const found = group?.versions.find((candidate) => candidate.version === version);
  const isCustom = group?.versions.some((candidate) => candidate.resources[0]?.source === 'custom');
  if (found && isCustom) return document(request, apiResourceList(found));
  if (found) return served(request, () => document(request, apiResourceList(found)));
  if (isCustom) return undefined;
  throw pathNotFound();
}

/** Some of these paths refuse other methods than GET, even HEAD; the rest answer whatever the method. */
function served(request: ApiRequest, answer: () => ApiResponse): ApiResponse {
  if (request.method !== 'GET') throw pathMethodNotAllowed();
  return answer();
}

const document = (request: ApiRequest, value: object): ApiResponse =>
  encode(200, value, { encoding: documentEncoding(request.headers.accept) });

function eitherForm(request: ApiRequest, aggregated: HashedDocument, legacy: () => object): ApiResponse {
  const form = discoveryForm(request.headers.accept);
  if (!form.aggregated) return encode(200, legacy(), form);
  const headers = { 'cache-control': 'public', etag: etagOf(aggregated), vary: 'Accept' };
  if (isUnchanged(request.headers['if-none-match'], aggregated)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': aggregatedType }, body: aggregated.text };
}
