import { isDeepStrictEqual } from 'node:util';
import { compileRegex } from '@flotilla/rules/regex';
import type { Field } from '../field.ts';

type Level = 'root' | 'item' | 'field';

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** What may only be said once, where a value is defined, and not again in allOf, anyOf, oneOf and not. */
const forbiddenInJunctors: Readonly<Record<string, string>> = {
  type: 'must be empty to be structural',
  additionalProperties: 'must be undefined to be structural',
  default: 'must be undefined to be structural',
  title: 'must be empty to be structural',
  description: 'must be empty to be structural',
  nullable: 'must be false to be structural',
  'x-kubernetes-preserve-unknown-fields': 'must be false to be structural',
  'x-kubernetes-embedded-resource': 'must be false to be structural',
  'x-kubernetes-int-or-string': 'must be false to be structural',
  'x-kubernetes-list-map-keys': 'must be empty to be structural',
  'x-kubernetes-list-type': 'must be undefined to be structural',
  'x-kubernetes-map-type': 'must be undefined to be structural',
};

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** Whether every value has one type, given in one place. */
export function validateStructure(root: Field): void {
  validateLevel(root, 'root');
  for (const junctor of ['not', 'allOf', 'anyOf', 'oneOf']) {
    const field = root.at(junctor);
    for (const branch of Array.isArray(field.value) ? field.items() : [field]) {
      if (branch.present) validateDefined(branch, root);
    }
  }
}

function validateLevel(schema: Field, level: Level): void {
  const type = schema.at('type');
  const items = schema.at('items');
  const embedded = schema.at('x-kubernetes-embedded-resource').flag;
  const either = schema.at('x-kubernetes-int-or-string').flag;
  const preserves = schema.at('x-kubernetes-preserve-unknown-fields').flag;
  if (type.text === 'array' && !items.present) items.required('must be specified');
  // A list of schemas is refused elsewhere, and has no structure.
  if (Array.isArray(items.value)) return;
  if (items.present) validateLevel(items, 'item');
  for (const [, property] of schema.at('properties').entries()) validateLevel(property, 'field');
  validateAdditional(schema, level, embedded);
  if (either && preserves) {
    schema.at('x-kubernetes-preserve-unknown-fields').invalid('must be false if x-kubernetes-int-or-string is true');
  }
  if (either && embedded) {
    schema.at('x-kubernetes-embedded-resource').invalid('must be false if x-kubernetes-int-or-string is true');
  }
  validateBranches(schema, true);
  if (embedded && type.text !== 'object') {
    const sentence = 'must be object if x-kubernetes-embedded-resource is true';
    if (type.text === '') type.required(sentence);
    else type.invalid(sentence);
  } else if (type.text === '' && !either && !preserves) type.required(emptyType[level]);
  if (level === 'root' && type.text !== '' && type.text !== 'object') type.invalid('must be object at the root');
  validateMetaFields(schema, level, embedded);
  if (embedded && !preserves && schema.at('properties').names.length === 0) {
    schema
      .at('properties')
      .required(
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      );
  }
}

function validateAdditional(schema: Field, level: Level, embedded: boolean): void {
  const additional = schema.at('additionalProperties');
  if (!additional.present) return;
  if (level === 'root') additional.forbidden('must not be used at the root');
  if (typeof additional.value === 'object') validateLevel(additional, 'field');
  if (embedded) additional.forbidden('must not be used if x-kubernetes-embedded-resource is set');
}

/** apiVersion, kind and metadata of an object are what they are everywhere. */
function validateMetaFields(schema: Field, level: Level, embedded: boolean): void {
  const isObject = level === 'root' || embedded;
  const properties = schema.at('properties');
  for (const name of ['kind', 'apiVersion']) {
    const property = properties.key(name);
    if (isObject && property.present && property.at('type').text !== 'string') {
      property.at('type').invalid('must be string', property.at('type').text);
    }
  }
  const metadata = properties.key('metadata');
  if (!metadata.present) return;
  if (isObject && metadata.at('type').text !== 'object')
    metadata.at('type').invalid('must be object', metadata.at('type').text);
  if (level !== 'root') return;
  const names = metadata.at('properties').names;
  const said = metadata.names.filter((name) => name !== 'type' && name !== 'properties' && name !== 'default');
  if (said.length > 0 || names.some((name) => name !== 'name' && name !== 'generateName')) {
    metadata.forbidden(
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    );
  }
}

/** The junctors of a schema, and its pattern. `mayBeEither` lets the usual form of int-or-string through. */
function validateBranches(schema: Field, atDefinition: boolean): void {
  const anyOf = schema.at('anyOf');
  if (!(atDefinition && isDeepStrictEqual(anyOf.value, intOrString))) {
    for (const branch of anyOf.items()) validateBranch(branch, false);
  }
  for (const [at, branch] of schema.at('allOf').items().entries()) {
    const isEither = atDefinition && at === 0 && isDeepStrictEqual(branch.at('anyOf').value, intOrString);
    validateBranch(branch, isEither);
  }
  for (const branch of schema.at('oneOf').items()) validateBranch(branch, false);
  if (schema.at('not').present) validateBranch(schema.at('not'), false);
  const pattern = schema.at('pattern');
  if (pattern.text === '') return;
  try {
    compileRegex(pattern.text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    pattern.invalid(`must be a valid regular expression, but isn't: ${why}`);
  }
}

function validateBranch(branch: Field, isEither: boolean): void {
  validateBranches(isEither ? branch.with({ ...branch.fields, anyOf: [] }) : branch, false);
  if (branch.at('items').present) validateBranch(branch.at('items'), false);
  for (const [, property] of branch.at('properties').entries()) validateBranch(property, false);
  for (const [name, sentence] of Object.entries(forbiddenInJunctors)) {
    const { value } = branch.at(name);
    const isSaid =
      value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
    if (isSaid) branch.at(name).forbidden(sentence);
  }
  if (branch.at('properties').key('metadata').present) {
    branch.at('properties').key('metadata').forbidden('must not be specified in a nested context');
  }
}

/** What the junctors at the root speak of must be defined outside them. */
function validateDefined(branch: Field, schema: Field): void {
  for (const [name, property] of branch.at('properties').entries()) {
    const defined = schema.at('properties').key(name);
    if (!defined.present) defined.required(`because it is defined in ${property.path}`);
    else validateDefined(property, defined);
  }
  if (branch.at('items').present) {
    if (!schema.at('items').present) schema.at('items').required(`because it is defined in ${branch.at('items').path}`);
    else validateDefined(branch.at('items'), schema.at('items'));
  }
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) {
    for (const nested of branch.at(junctor).items()) validateDefined(nested, schema);
  }
}
