import { KubeError } from '@flotilla/kube';
import type { ApiStatus } from '@flotilla/kube/errors';
import { type KubeObject, parseJson } from '@flotilla/schema';
import { type AdmissionRequest, namespaceOf } from '../../contracts/admission.ts';
import { apiVersionOf, type ResourceInfo } from '../../contracts/resource-info.ts';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind of the object that a request carries: that of the subresource, if it has one of its own. */
const kindOf = (info: ResourceInfo, subresource: string | undefined): GroupVersionKind => {
  const { group, version, kind } = info.subresources.find(({ name }) => name === subresource) ?? info;
  return { group, version, kind };
};

const resourceOf = ({ group, version, plural }: ResourceInfo) => ({ group, version, resource: plural });

/** The object under the name of another version; objects of other kinds, as a Scale, have but one. */
export const inVersionOf = (info: ResourceInfo, object: KubeObject): KubeObject =>
  object.kind === info.kind ? { ...object, apiVersion: apiVersionOf(info) } : object;

/** All of `request` in an AdmissionReview but its uid and objects; conditions see the same. */
export function requestFields(info: ResourceInfo, request: AdmissionRequest) {
  const { subresource, user } = request;
  const namespace = namespaceOf(request);
  return {
    kind: kindOf(info, subresource),
    resource: resourceOf(info),
    ...(subresource !== undefined && { subResource: subresource }),
    requestKind: kindOf(request.info, subresource),
    requestResource: resourceOf(request.info),
    ...(subresource !== undefined && { requestSubResource: subresource }),
    ...(request.name !== '' && { name: request.name }),
    ...(namespace !== '' && { namespace }),
    operation: request.operation,
    userInfo: {
      username: user.name,
      ...(user.uid !== undefined && { uid: user.uid }),
      groups: user.groups,
      ...(user.extra && { extra: user.extra }),
    },
    dryRun: request.dryRun,
    options: request.options,
  };
}

/** The review for a webhook, with the object in the version that the webhook matches. */
export function admissionReview(uid: string, info: ResourceInfo, request: AdmissionRequest): object {
  const { object, oldObject } = request;
  const { dryRun, options, ...fields } = requestFields(info, request);
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      ...fields,
      object: object ? inVersionOf(info, object) : null,
      oldObject: oldObject ? inVersionOf(info, oldObject) : null,
      dryRun,
      options,
    },
  };
}

export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
  readonly status?: ApiStatus;
  /** JSON patch operations. */
  readonly patch?: unknown;
}

const broken = (why: string): KubeError => new KubeError('Decode', why);

/** Reads an answer as strictly as the API server; throws what is wrong with it. */
export function admissionResponse(uid: string, review: unknown, mutating: boolean): AdmissionResponse {
  const { response, kind, apiVersion } = fieldsOf(review);
  if (typeof response !== 'object' || response === null) throw broken('webhook response was absent');
  const answer = fieldsOf(response);
  if (answer.uid !== uid) throw broken(`expected response.uid=${JSON.stringify(uid)}, got ${quoted(answer.uid)}`);
  if (kind !== 'AdmissionReview' || apiVersion !== 'admission.k8s.io/v1') {
    const [group = '', version = ''] = String(apiVersion ?? '').split('/');
    throw broken(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${version}, Kind=${kind ?? ''}`,
    );
  }
  const { allowed, warnings, status } = answer;
  const patch = mutating ? patchOf(answer) : refusePatch(answer);
  return {
    allowed: allowed === true,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    ...(typeof status === 'object' && status !== null && { status: { ...fieldsOf(status) } }),
    ...(patch !== undefined && { patch }),
  };
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const quoted = (value: unknown): string => JSON.stringify(value ?? '');

function patchOf({ patch, patchType }: Record<string, unknown>): unknown {
  if (patch && patchType === undefined) throw broken('webhook returned response.patch but not response.patchType');
  if (!patch && patchType !== undefined) throw broken('webhook returned response.patchType but not response.patch');
  if (!patch) return undefined;
  if (patchType !== 'JSONPatch') throw broken(`unsupported patch type ${quoted(patchType)}`);
  try {
    return parseJson(Buffer.from(String(patch), 'base64').toString('utf8'));
  } catch (cause) {
    throw new KubeError('Decode', 'received undecodable patch in webhook response', { cause });
  }
}

function refusePatch({ patch, patchType }: Record<string, unknown>): undefined {
  if (patch) throw broken('validating webhook may not return response.patch');
  if (patchType !== undefined) throw broken('validating webhook may not return response.patchType');
}
