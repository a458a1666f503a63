import {
  dnsLabelError,
  dnsSubdomainError,
  isRecord,
  type Json,
  type JsonObject,
  labelValueError,
  pathSegmentError,
  qualifiedNameError,
  stringifyJson,
  withoutTrailingDash,
} from '@flotilla/rules/values';
import { child, type FieldError, forbidden, invalid, required, tooLong } from './field-error.ts';
import { type ValueContext, validateValue } from './schema-values.ts';
import type { StructuralSchema } from './structural-schema.ts';

const ANNOTATIONS_LIMIT = 256 * 1024;

const text: StructuralSchema = { type: 'string', nullable: true };
const int64: StructuralSchema = { type: 'integer', nullable: true };
const flag: StructuralSchema = { type: 'boolean', nullable: true };
const texts: StructuralSchema = { type: 'object', nullable: true, additionalProperties: text };
// Stricter than the format date-time: metadata is read by another parser than custom fields.
const time: StructuralSchema = {
  ...text,
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$',
};

/** The shape of ObjectMeta; null means unset everywhere. */
const shape: StructuralSchema = {
  type: 'object',
  nullable: true,
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: int64,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: int64,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', nullable: true, items: text },
    ownerReferences: {
      type: 'array',
      nullable: true,
      items: {
        type: 'object',
        nullable: true,
        properties: { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
      },
    },
    managedFields: {
      type: 'array',
      nullable: true,
      items: {
        type: 'object',
        nullable: true,
        properties: { manager: text, operation: text, apiVersion: text, time, fieldsType: text, subresource: text },
      },
    },
  },
};

/** Which rule the name follows, and whether a namespace may be set. */
export interface ObjectMetaRules {
  readonly name: 'dns-subdomain' | 'path-segment';
  readonly namespaced: boolean;
}

const stringAt = (meta: JsonObject, name: string): string => (typeof meta[name] === 'string' ? meta[name] : '');
const fieldErrors = (field: string, value: Json, ...messages: (string | undefined)[]): FieldError[] =>
  messages.flatMap((message) => (message === undefined ? [] : [invalid(field, value, message)]));

/** The server cuts a prefix so that a name of 63 characters comes out, of which it makes up the last five. */
const generatedName = (prefix: string): string => `${prefix.slice(0, 58)}aaaaa`;

const nameErrors = (meta: JsonObject, path: string, rules: ObjectMetaRules): FieldError[] => {
  const generateName = stringAt(meta, 'generateName');
  const isRoot = rules.name === 'dns-subdomain';
  const name = stringAt(meta, 'name') || (isRoot && generateName ? generatedName(generateName) : '');
  const rule = isRoot ? dnsSubdomainError : pathSegmentError;
  const errors: FieldError[] = [];
  if (generateName) {
    errors.push(...fieldErrors(child(path, 'generateName'), generateName, rule(withoutTrailingDash(generateName))));
  }
  if (name) errors.push(...fieldErrors(child(path, 'name'), name, rule(name)));
  else if (isRoot)
    errors.push(
      required(
        child(path, 'name'),
        'is required: set name, or generateName to have one made',
        'name or generateName is required',
      ),
    );
  return errors;
};

const labelErrors = (meta: JsonObject, path: string): FieldError[] =>
  Object.entries(isRecord(meta.labels) ? meta.labels : {}).flatMap(([key, value]) => [
    ...fieldErrors(child(path, 'labels'), key, qualifiedNameError(key)),
    ...fieldErrors(child(path, 'labels'), value, labelValueError(typeof value === 'string' ? value : '')),
  ]);

const annotationErrors = (meta: JsonObject, path: string): FieldError[] => {
  const field = child(path, 'annotations');
  const entries = Object.entries(isRecord(meta.annotations) ? meta.annotations : {});
  const errors = entries.flatMap(([key]) => fieldErrors(field, key, qualifiedNameError(key.toLowerCase())));
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(`${key}${typeof value === 'string' ? value : ''}`),
    0,
  );
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLong(field, size, ANNOTATIONS_LIMIT, 'bytes in all'));
  return errors;
};

const finalizerErrors = (meta: JsonObject, path: string): FieldError[] => {
  const field = child(path, 'finalizers');
  const finalizers = (Array.isArray(meta.finalizers) ? meta.finalizers : []).map((each) => each ?? '');
  const errors = finalizers.flatMap((each) =>
    fieldErrors(field, each, qualifiedNameError(typeof each === 'string' ? each : stringifyJson(each))),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, finalizers, 'must not have both orphan and foregroundDeletion'));
  }
  return errors;
};

const ownerErrors = (meta: JsonObject, path: string): FieldError[] => {
  const field = child(path, 'ownerReferences');
  const owners = (Array.isArray(meta.ownerReferences) ? meta.ownerReferences : []).map((each) =>
    isRecord(each) ? each : {},
  );
  const errors = owners.flatMap((owner) => {
    const apiVersion = stringAt(owner, 'apiVersion');
    // A group without a version, or more than one slash, leaves no version.
    const version = apiVersion.split('/').length > 2 ? '' : apiVersion.slice(apiVersion.indexOf('/') + 1);
    return [
      ...(version === '' ? [invalid(child(field, 'apiVersion'), apiVersion, 'must have a version')] : []),
      ...['kind', 'name', 'uid'].flatMap((name) =>
        stringAt(owner, name) === '' ? [invalid(child(field, name), '', 'must not be empty')] : [],
      ),
      ...(apiVersion === 'v1' && owner.kind === 'Event' ? [invalid(field, owner, 'must not be an Event')] : []),
    ];
  });
  if (owners.filter((owner) => owner.controller === true).length > 1) {
    errors.push(invalid(field, owners, 'must not have more than one reference with controller true'));
  }
  return errors;
};

/**
 * Checks metadata as the API server does when an object is created. A namespace may be left out, since a client
 * puts it into the URL; managedFields are left to the server, which replaces them.
 */
export const validateObjectMeta = (
  meta: Json,
  path: string,
  rules: ObjectMetaRules,
  context: ValueContext,
): FieldError[] => {
  const malformed = validateValue(meta, undefined, shape, path, context);
  if (malformed.length > 0) return malformed;
  const fields = isRecord(meta) ? meta : {};
  const namespace = stringAt(fields, 'namespace');
  const errors = nameErrors(fields, path, rules);
  if (namespace && rules.namespaced)
    errors.push(...fieldErrors(child(path, 'namespace'), namespace, dnsLabelError(namespace)));
  if (namespace && !rules.namespaced) {
    errors.push(forbidden(child(path, 'namespace'), namespace, 'is not allowed: this kind is cluster-scoped'));
  }
  if (typeof fields.generation === 'number' && fields.generation < 0) {
    errors.push(invalid(child(path, 'generation'), fields.generation, 'must be at least 0'));
  }
  errors.push(...labelErrors(fields, path), ...annotationErrors(fields, path));
  errors.push(...ownerErrors(fields, path), ...finalizerErrors(fields, path));
  return errors;
};
