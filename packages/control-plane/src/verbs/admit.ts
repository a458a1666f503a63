import type { KubeObject } from '@flotilla/schema';
import type { AdmissionRequest } from '../contracts/admission.ts';
import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import { badRequest, invalid } from '../errors/api-errors.ts';
import { unanswered } from '../errors/unanswered.ts';
import { managedFieldsError } from '../patch/index.ts';
import { decodeBody } from './body.ts';
import type { AnyObject } from './prepare.ts';
import { strictErrors } from './strict-errors.ts';
import type { WriteOptions } from './write-options.ts';

/** Reads the body and drops what the schema does not know; unknown and duplicate fields are reported or refused as the client requested. */
export function decodeKnown(backend: Backend, call: Call, options: WriteOptions): AnyObject {
  const { object, duplicates } = decodeBody(call);
  const { object: known, unknown } = backend.schemas.prune(call.info, object);
  if (unknown.length + duplicates.length === 0 || options.fieldValidation === 'Ignore') return known;
  const messages = strictErrors(call, duplicates, unknown, options.fieldValidation);
  if (options.fieldValidation === 'Strict') {
    const { kind, version } = call.info;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${messages.join(', ')}`,
    );
  }
  for (const warning of messages) call.warn(warning);
  return known;
}

/** Refuses an object that its schema or the rules of its kind do not allow. */
export async function validate(backend: Backend, call: Call, object: AnyObject, old?: AnyObject): Promise<void> {
  const causes = await causesOf(backend, call, object, old);
  if (causes.length > 0) throw invalid(call.info, object.metadata?.name ?? call.name ?? '', causes);
}

/** Rules without an answer are an error that a client retries, unlike 422. */
async function causesOf({ schemas }: Backend, { info, user }: Call, object: AnyObject, old?: AnyObject) {
  try {
    return await schemas.validate(info, object, old, user.name);
  } catch (error) {
    throw unanswered(error, `the rules of ${info.kind}`);
  }
}

/** What the mutating plugins and webhooks make of the object. Their managedFields are used only if they are valid. */
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
  const stateError = after === before ? undefined : managedFieldsError(after);
  if (stateError === undefined) return object;
  call.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${stateError}`,
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

/** The options of the request in an AdmissionReview. */
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
