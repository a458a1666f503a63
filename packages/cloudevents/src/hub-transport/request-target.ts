import { KubeError } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';

/** What a request is about. */
export interface RequestTarget {
  /** Group, version and plural: `coordination.k8s.io/v1/leases`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
}

/** Takes the path of a request apart: `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>`. */
export function parseTarget(path: string): RequestTarget | undefined {
  const [plain = '', search = ''] = path.split('?');
  const parts = plain.split('/').slice(1).map(decodeURIComponent);
  const root = parts.shift();
  const group = root === 'apis' ? parts.shift() : '';
  const version = parts.shift();
  if ((root !== 'apis' && root !== 'api') || !version) return undefined;
  const namespace = parts[0] === 'namespaces' && parts.length > 2 ? parts.splice(0, 2)[1] : undefined;
  const [plural, name, subresource] = parts;
  if (!plural) return undefined;
  return {
    resource: `${group}/${version}/${plural}`,
    query: new URLSearchParams(search),
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(subresource && { subresource }),
  };
}

/** The object in the body of a request. */
export function bodyOf<T extends KubeObject>({ method, path, body }: KubeRequest): T {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    return JSON.parse(text) as T;
  } catch {
    throw new KubeError('BadRequest', `${method} ${path}: the body is not JSON`, { status: 400 });
  }
}

type RefusalCode = 'AlreadyExists' | 'NotFound' | 'Conflict' | 'MethodNotAllowed' | 'UnsupportedMediaType';

const refusals: Readonly<Record<RefusalCode, readonly [number, string]>> = {
  NotFound: [404, 'not found'],
  MethodNotAllowed: [405, 'the gRPC server of the hub does not support this verb'],
  AlreadyExists: [409, 'already exists'],
  Conflict: [409, 'the object has been modified'],
  UnsupportedMediaType: [415, 'only merge patches are supported'],
};

/** The refusal of a request, as an API server words it. A missing object is named, a missing kind is not. */
export function refusal(code: RefusalCode, request: KubeRequest, name?: string): KubeError {
  const [status, why] = refusals[code];
  const details = name === undefined ? {} : { details: { name } };
  const message = name === undefined ? why : `"${name}" ${why}`;
  const body = { kind: 'Status', status: 'Failure', reason: code, code: status, message, ...details };
  return KubeError.fromResponse(request, status, JSON.stringify(body));
}
