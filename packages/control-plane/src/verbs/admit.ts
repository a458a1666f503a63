import type { KubeObject } from '@flotilla/api-types';
import type { AdmissionRequest } from '../admission/admission.ts';
import { badRequest, invalid } from '../errors/api-errors.ts';
import { managedFieldsProblem } from '../patch/index.ts';
import type { Backend, Call } from './backend.ts';
import type { AnyObject } from './prepare.ts';
import type { WriteOptions } from './write-options.ts';

/** Drops what the schema does not know; told, or refused, as the client asked. */
export function prune(backend: Backend, call: Call, object: KubeObject, options: WriteOptions): AnyObject {
  const { object: known, unknown } = backend.schemas.prune(call.info, object);
  if (unknown.length === 0 || options.fieldValidation === 'Ignore') return known;
  const told = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === 'Strict') {
    const { kind, version } = call.info;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${told.join(', ')}`,
    );
  }
  for (const warning of told) call.warn(warning);
  return known;
}

/** Refuses an object that its schema or the rules of its kind do not allow. */
export function validate(backend: Backend, call: Call, object: AnyObject, old?: AnyObject): void {
  const causes = backend.schemas.validate(call.info, object, old);
  if (causes.length > 0) throw invalid(call.info, object.metadata?.name ?? call.name ?? '', causes);
}

/** What the mutating plugins and webhooks make of the object. Their word on managedFields counts only if it makes sense. */
export async function mutate(
  backend: Backend,
  call: Call,
  operation: 'CREATE' | 'UPDATE',
  objects: { object: AnyObject; oldObject?: AnyObject },
  options: { dryRun: boolean; optionsObject: object },
): Promise<AnyObject> {
  const request = admissionRequest(call, operation, objects, options);
  const object = (await backend.admission.mutate(request, call.warn)) ?? objects.object;
  const before = objects.object.metadata?.managedFields;
  const after = object.metadata?.managedFields;
  const problem = after === before ? undefined : managedFieldsProblem(after);
  if (problem === undefined) return object;
  call.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
  return {
    ...object,
    metadata: { ...object.metadata, ...(before ? { managedFields: before } : { managedFields: [] }) },
  };
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
