import { isRecord, type Json, type JsonObject, kindError } from '@flotilla/rules/values';
import { child, type FieldError, index, invalid, required } from './field-error.ts';
import { validateObjectMeta } from './object-meta.ts';
import type { ValueContext } from './schema-values.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The server's message for an invalid kind. */
const kindSentence =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const typeMetaErrors = (value: JsonObject, path: string): FieldError[] => {
  const { apiVersion, kind } = value;
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(child(path, 'apiVersion')));
  else if (typeof apiVersion !== 'string' || apiVersion === '' || apiVersion.split('/').length > 2) {
    errors.push(
      invalid(
        child(path, 'apiVersion'),
        apiVersion,
        'must be version or group/version',
        apiVersion === '' ? 'must not be empty' : `unexpected GroupVersion string: ${apiVersion}`,
      ),
    );
  }
  if (kind === undefined) errors.push(required(child(path, 'kind')));
  else {
    const message = typeof kind === 'string' ? kindError(kind) : 'must be a string';
    if (message) errors.push(invalid(child(path, 'kind'), kind, message, kindSentence));
  }
  return errors;
};

const resourceErrors = (value: JsonObject, path: string, context: ValueContext): FieldError[] => {
  const errors = typeMetaErrors(value, path);
  if (value.metadata !== undefined) {
    errors.push(
      ...validateObjectMeta(
        value.metadata,
        child(path, 'metadata'),
        { name: 'path-segment', namespaced: true },
        context,
      ),
    );
  }
  return errors;
};

/** Checks that whole objects inside an object have an apiVersion, a kind, and valid metadata. */
export const validateEmbeddedResources = (
  value: Json,
  schema: StructuralSchema | undefined,
  path: string,
  context: ValueContext,
): FieldError[] => {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => validateEmbeddedResources(item, schema.items, index(path, at), context));
  }
  if (!isRecord(value)) return [];
  const own = schema['x-kubernetes-embedded-resource'] ? resourceErrors(value, path, context) : [];
  const nested = Object.entries(value).flatMap(([key, field]) => {
    if (schema.properties && Object.hasOwn(schema.properties, key)) {
      return validateEmbeddedResources(field, schema.properties[key], child(path, key), context);
    }
    const values = schema.additionalProperties;
    return typeof values === 'object' ? validateEmbeddedResources(field, values, `${path}[${key}]`, context) : [];
  });
  return [...own, ...nested];
};
