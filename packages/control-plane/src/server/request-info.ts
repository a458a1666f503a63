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
  readonly name?: string;
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
    return part; // A broken escape is looked up as it is, and not found.
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
  let parts = rest;
  if (parts[0] === 'watch') return otherwise; // The old form of watches is not served.
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1];
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', name, ...sub] = parts;
  if (resource === '') return otherwise;
  const subresource = sub.length > 0 ? sub.join('/') : undefined;
  return {
    kind: 'resource',
    verb: verbOf(method, name, query),
    group,
    version,
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (name !== undefined) {
    return verb === 'get' && isTrue(query.get('watch')) && nameSelected(query, name) ? 'watch' : verb;
  }
  if (verb === 'get') return isTrue(query.get('watch')) ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** A watch of one name is a watch of the collection with a field selector; only that form has the verb. */
const nameSelected = (query: URLSearchParams, name: string): boolean =>
  query.get('fieldSelector') === `metadata.name=${name}`;

/** Query booleans as the API server reads them: absent, "0" and "false" are false, anything else is true. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false';
