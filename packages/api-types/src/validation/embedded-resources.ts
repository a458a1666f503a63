import { child, type FieldError, index, invalid, required } from './field-error.ts';
import { isObject } from './json.ts';
import { kindProblem } from './names.ts';
import { validateObjectMeta } from './object-meta.ts';
import type { ValueContext } from './schema-values.ts';
import type { Json, JsonObject, StructuralSchema } from './structural-schema.ts';

/** The server's own words for a kind that is none. */
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
    const problem = typeof kind === 'string' ? kindProblem(kind) : 'must be a string';
    if (problem) errors.push(invalid(child(path, 'kind'), kind, problem, kindSentence));
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

/** Checks that whole objects inside an object have an apiVersion, a kind, and metadata that makes sense. */
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
  if (!isObject(value)) return [];
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
