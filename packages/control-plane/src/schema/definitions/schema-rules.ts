import { isRecord, type Json } from '@flotilla/schema';
import type { Field } from '../field.ts';
import { validateCelRules } from './cel-rules.ts';
import { type DefaultsOptions, validateDefaults } from './default-values.ts';
import { validateStructure } from './structural-rules.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const junctors = ['allOf', 'anyOf', 'oneOf'];

/** What may stand beside `type` and `properties` at the root of a schema when the status is written apart. */
const allowedAtRoot = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];

/** The schema of one version: which keywords, whether it is structural, whether its defaults fit and its rules compile. */
export async function validateSchema(schema: Field, hasStatus: boolean, options: DefaultsOptions): Promise<void> {
  if (!schema.present) return;
  if (hasStatus) validateRoot(schema);
  if (schema.at('nullable').flag) schema.at('nullable').forbidden('nullable cannot be true at the root');
  let errors = 0;
  const counted = schema.observed(() => errors++);
  validateKeywords(counted);
  validateStructure(counted);
  if (errors > 0) return;
  await validateDefaults(counted, options);
  if (errors > 0) return;
  validateCelRules(counted);
}

function validateRoot(schema: Field): void {
  const strange = schema.names.filter((name) => !allowedAtRoot.includes(name));
  if (schema.at('type').text !== 'object') {
    schema
      .at('type')
      .invalid('only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
  } else if (strange.length > 0) {
    const names = allowedAtRoot.map((name) =>
      name.startsWith('x-kubernetes-')
        ? `X${pascal(name.slice('x-kubernetes-'.length))}`
        : `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    );
    schema.invalid(
      `only [${names.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
    );
  }
}

const pascal = (name: string): string =>
  name
    .split('-')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join('');

function validateKeywords(schema: Field): void {
  const type = schema.at('type');
  if (type.text !== '' && !types.includes(type.text)) type.notSupported([...types].sort());
  for (const name of unsupported) if (schema.at(name).present) schema.at(name).forbidden(`${name} is not supported`);
  if (Array.isArray(schema.at('items').value)) {
    schema.at('items').forbidden('items must be a schema object and not an array');
  }
  if (schema.at('uniqueItems').flag) {
    schema
      .at('uniqueItems')
      .forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  const additional = schema.at('additionalProperties');
  if (additional.present && schema.at('properties').names.length > 0 && additional.value !== true) {
    additional.forbidden('additionalProperties and properties are mutual exclusive');
  }
  const preserve = schema.at('x-kubernetes-preserve-unknown-fields');
  if (preserve.value === false) preserve.invalid('must be true or undefined');
  validateMapType(schema);
  validateListType(schema);
  for (const each of nested(schema)) validateKeywords(each);
}

/** Every schema directly inside another. */
function nested(schema: Field): Field[] {
  const single = ['items', 'additionalProperties', 'not'].map((name) => schema.at(name));
  return [
    ...single.filter(({ value }) => isSchema(value)),
    ...schema
      .at('properties')
      .entries()
      .map(([, field]) => field),
    ...junctors.flatMap((name) => schema.at(name).items()),
  ];
}

const isSchema = (value: Json | undefined): boolean => isRecord(value);

function validateMapType(schema: Field): void {
  const map = schema.at('x-kubernetes-map-type');
  if (!map.present) return;
  mustBe(schema.at('type'), 'object', 'must be object if x-kubernetes-map-type is specified');
  if (map.text !== 'atomic' && map.text !== 'granular') map.notSupported(['atomic', 'granular']);
}

function mustBe(type: Field, wanted: string, sentence: string): void {
  if (type.text === wanted) return;
  if (type.text === '') type.required(sentence);
  else type.invalid(sentence);
}

function validateListType(schema: Field): void {
  const list = schema.at('x-kubernetes-list-type');
  const keys = schema.at('x-kubernetes-list-map-keys');
  const items = schema.at('items');
  if (list.present) {
    mustBe(schema.at('type'), 'array', 'must be array if x-kubernetes-list-type is specified');
    if (!['atomic', 'set', 'map'].includes(list.text)) list.notSupported(['atomic', 'set', 'map']);
  }
  if (keys.list.length > 0 && list.text !== 'map') {
    const sentence = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (list.present) list.invalid(sentence);
    else list.required(sentence);
  }
  if (list.text === 'set') validateSetItems(items);
  if (list.text === 'map') validateMapItems(schema, items, keys);
  if ((list.text === 'set' || list.text === 'map') && items.at('nullable').flag) {
    items.at('nullable').forbidden(`cannot be nullable when x-kubernetes-list-type is ${list.text}`);
  }
}

/** Items of a set are compared as a whole. */
function validateSetItems(items: Field): void {
  const sentence = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const list = items.at('x-kubernetes-list-type');
  const map = items.at('x-kubernetes-map-type');
  if (items.at('type').text === 'array' && list.present && list.text !== 'atomic') list.invalid(sentence);
  if (items.at('type').text === 'object' && map.text !== 'atomic') map.invalid(sentence, list.value ?? null);
}

function validateMapItems(schema: Field, items: Field, keys: Field): void {
  if (keys.list.length === 0) keys.required('must not be empty if x-kubernetes-list-type is map');
  if (!items.present) {
    schema.at('items').required('must have a schema if x-kubernetes-list-type is map');
    return;
  }
  const type = items.at('type');
  if (type.text !== 'object') {
    type.invalid("must be object if parent array's x-kubernetes-list-type is map", type.text);
    return;
  }
  const seen = new Set<string>();
  for (const { text: key } of keys.items()) {
    const property = items.at('properties').key(key);
    if (!property.present) keys.invalid('entries must all be names of item properties');
    else validateMapKey(items, property, key);
    if (seen.has(key)) keys.invalid('must not contain duplicate entries');
    seen.add(key);
  }
}

function validateMapKey(items: Field, property: Field, key: string): void {
  if (['array', 'object'].includes(property.at('type').text)) {
    property
      .at('type')
      .invalid("must be a scalar type if parent array's x-kubernetes-list-type is map", items.at('type').text);
  }
  if (!items.at('required').list.includes(key) && property.at('default').value === undefined) {
    property
      .at('default')
      .required('this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property');
  }
  if (property.at('nullable').flag) {
    property.at('nullable').forbidden('this property is in x-kubernetes-list-map-keys, so it cannot be nullable');
  }
}
