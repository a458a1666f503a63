import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';
import { matchesLabels } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { apiVersionOf, type Registry, type ResourceInfo } from '../../contracts/resource-info.ts';
import type { Storage } from '../../contracts/storage.ts';

type ParamKind = NonNullable<NonNullable<ValidatingAdmissionPolicy['spec']>['paramKind']>;
type ParamRef = NonNullable<NonNullable<ValidatingAdmissionPolicyBinding['spec']>['paramRef']>;

/** Thrown for a policy or binding that is misconfigured. The message is that of the API server. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** The resource that a policy takes its parameters from. */
export function paramResource(
  registry: Pick<Registry, 'forKind'>,
  { apiVersion = '', kind = '' }: ParamKind,
): ResourceInfo {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const info = registry.forKind(group, version, kind);
  if (info) return info;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
}

/** The objects that a binding names. Empty if there are none and that is allowed. `namespace` is that of the request. */
export function paramsOf(
  storage: Pick<Storage, 'get' | 'list'>,
  info: ResourceInfo,
  ref: ParamRef,
  namespace: string,
): KubeObject[] {
  const found = objectsOf(storage, info, ref, namespaceOf(info, ref, namespace));
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => ({
    ...(info.fromStorage?.(object) ?? object),
    apiVersion: apiVersionOf(info),
    kind: info.kind,
  }));
}

function namespaceOf({ namespaced }: ResourceInfo, ref: ParamRef, requested: string): string | undefined {
  if (!namespaced) {
    if (!ref.namespace) return undefined;
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = ref.namespace || requested;
  if (namespace !== '') return namespace;
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

function objectsOf(
  storage: Pick<Storage, 'get' | 'list'>,
  { storage: resource }: ResourceInfo,
  { name, selector }: ParamRef,
  namespace: string | undefined,
): readonly KubeObject[] {
  if (name) {
    const object = storage.get(resource, namespace === undefined ? name : `${namespace}/${name}`);
    return object ? [object] : [];
  }
  return storage
    .list(resource, namespace)
    .filter(({ metadata }) => matchesLabels(selector ?? {}, metadata?.labels ?? {}));
}
