import type { KubeObject } from '@flotilla/api-types';
import type { AdmissionRequest } from '../admission/admission.ts';
import { badRequest, invalid } from '../errors/api-errors.ts';
import type { Backend, Call } from './backend.ts';
import type { AnyObject } from './prepare.ts';
import type { WriteOptions } from './write-options.ts';

/** Drops what the schema does not know; told, or refused, as the client asked. */
export function prune(backend: Backend, call: Call, object: KubeObject, options: WriteOptions): AnyObject {
  const { object: known, unknown } = backend.schemas.prune(call.info, object);
  if (unknown.length === 0 || options.fieldValidation === 'Ignore') return known;
  const told = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === 'Strict') {
    const { source, kind, version } = call.info;
    const what = source === 'built-in' ? `${kind} in version "${version}" cannot be handled as a ${kind}: ` : '';
    throw badRequest(`${what}strict decoding error: ${told.join(', ')}`);
  }
  for (const warning of told) call.warn(warning);
  return known;
}

/** Refuses an object that its schema or the rules of its kind do not allow. */
export function validate(backend: Backend, call: Call, object: AnyObject, old?: AnyObject): void {
  const causes = backend.schemas.validate(call.info, object, old);
  if (causes.length > 0) throw invalid(call.info, object.metadata?.name ?? call.name ?? '', causes);
}

export function admissionRequest(
  call: Call,
  operation: AdmissionRequest['operation'],
  objects: { object?: KubeObject; oldObject?: KubeObject },
  options: { dryRun: boolean; optionsObject: object },
): AdmissionRequest {
  return {
    operation,
    info: call.info,
    name: objects.object?.metadata?.name ?? call.name ?? '',
    options: options.optionsObject,
    user: call.user,
    dryRun: options.dryRun,
    ...(call.subresource !== undefined && { subresource: call.subresource }),
    ...(call.info.namespaced && call.namespace !== undefined && { namespace: call.namespace }),
    ...objects,
  };
}

/** What admission webhooks are told of the request's options. */
export const optionsObject = (
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
): object => ({
  kind,
  apiVersion: 'meta.k8s.io/v1',
  fieldManager: options.fieldManager,
  fieldValidation: options.fieldValidation,
  ...(options.dryRun && { dryRun: ['All'] }),
  ...(options.force && { force: true }),
});
