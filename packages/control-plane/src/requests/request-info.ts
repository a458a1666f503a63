import { parseFieldSelector } from './field-selector.ts';

/** What a path and method ask for, by the rules of Kubernetes' request info. */
export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly kind: 'resource';
  /** Kubernetes' verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly resource: string;
  readonly subresource?: string;
  /** What follows the subresource: only proxies have such paths. */
  readonly remainder?: string;
  readonly name?: string;
  /** The one name that a list or watch asks for by its field selector: who may see that object may list it so. */
  readonly selectedName?: string;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of a namespace itself; anything else below a namespace is a resource in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const asPath: PathRequest = { kind: 'path', verb: method.toLowerCase(), path };
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const decoded = parts.map(decodePart);
  const [root, ...rest] = decoded;
  if (root === 'api' && rest.length >= 2) return parseResource(method, '', rest, query, asPath);
  if (root === 'apis' && rest.length >= 3) return parseResource(method, rest[0] ?? '', rest.slice(1), query, asPath);
  return asPath;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // An invalid escape is used as it is, and not found.
  }
}

function parseResource(
  method: string,
  group: string,
  [version = '', ...rest]: string[],
  query: URLSearchParams,
  otherwise: PathRequest,
): RequestInfo {
  let namespace: string | undefined;
  // The old form of watches: /api/v1/watch/namespaces/…
  const isWatch = rest[0] === 'watch' && method === 'GET';
  let parts = isWatch ? rest.slice(1) : rest;
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1];
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', name, ...sub] = parts;
  if (resource === '') return otherwise;
  const [subresource, ...remaining] = sub;
  const selectedName = name === undefined && method === 'GET' && !isWatch ? nameSelected(query) : undefined;
  return {
    kind: 'resource',
    verb: isWatch ? 'watch' : verbOf(method, name, query),
    group,
    version,
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(selectedName !== undefined && { selectedName }),
    ...(subresource !== undefined && { subresource }),
    ...(remaining.length > 0 && { remainder: remaining.join('/') }),
  };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (name !== undefined) return verb;
  if (verb === 'get') return isTrue(query.get('watch')) ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** `metadata.name=x`, alone or among other terms. A selector that cannot be read names nothing. */
function nameSelected(query: URLSearchParams): string | undefined {
  try {
    const terms = parseFieldSelector(query.get('fieldSelector') ?? '');
    const name = terms.find(({ field, equal }) => equal && field === 'metadata.name')?.value;
    return name !== undefined && isPathSegment(name) ? name : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a name can stand in a path. */
const isPathSegment = (name: string): boolean => !/^\.{0,2}$|[/%]/.test(name);

/** Query booleans as the API server reads them: absent, "0" and "false" are false, anything else is true. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false';
