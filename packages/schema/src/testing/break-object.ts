import { isRecord, type Json, type JsonObject } from '@flotilla/rules/values';
import { child, index } from '../validation/field-error.ts';
import type { StructuralSchema } from '../validation/structural-schema.ts';
import type { Random } from './random.ts';
import { brokenText } from './samples.ts';
import { type Site, sitesOf } from './sites.ts';

/** A change of an object that the API server must refuse. */
export interface Breakage {
  /** What was done, as a sentence. */
  readonly what: string;
  /** The field that the errors must name. */
  readonly field: string;
}

/** A kind of breakage: applies itself to a site and says so, or returns undefined if it does not fit there. */
type Mistake = (site: Site, random: Random) => Breakage | undefined;

const change = (site: Site, value: Json | undefined, what: string, field = site.field): Breakage | undefined => {
  if (value === undefined) return undefined;
  site.replace(value);
  return { what, field };
};

const OTHER_TYPES: Readonly<Record<string, [Json, ...Json[]]>> = {
  string: [7, true, [], {}],
  integer: ['text', 1.5, true, [1]],
  number: ['text', {}],
  boolean: ['true', 1],
  object: ['text', [], 1],
  array: ['text', {}, 0],
};

const wrongType: Mistake = (site, random) => {
  // The server accepts a list in place of a formatted string.
  if (site.schema.type === 'string' && site.schema.format)
    return change(site, random.pick<Json>([7, true, {}]), 'has another type');
  const others = site.schema['x-kubernetes-int-or-string']
    ? ([true, 1.5, []] as const)
    : OTHER_TYPES[site.schema.type ?? ''];
  return others && change(site, random.pick([...others] as [Json, ...Json[]]), 'has another type');
};

const unknownEnumValue: Mistake = (site) =>
  site.schema.enum && change(site, 'NotInTheList', 'is none of the allowed values');

const tooLongText: Mistake = ({ schema, ...site }) =>
  schema.maxLength === undefined
    ? undefined
    : change({ schema, ...site }, 'a'.repeat(schema.maxLength + 1), 'is one character too long');

const tooShortText: Mistake = (site) => (site.schema.minLength ? change(site, '', 'is empty') : undefined);

const strangeText: Mistake = (site, random) =>
  typeof site.value === 'string'
    ? change(site, brokenText(site.schema, random), 'does not match the pattern')
    : undefined;

const tooSmall: Mistake = (site) =>
  site.schema.minimum === undefined ? undefined : change(site, site.schema.minimum - 1, 'is below the minimum');

const tooLarge: Mistake = (site) =>
  site.schema.maximum === undefined ? undefined : change(site, site.schema.maximum + 1, 'is above the maximum');

const beyondInt32: Mistake = (site, random) =>
  site.schema.format === 'int32'
    ? change(site, random.pick([2 ** 31, -(2 ** 31) - 1]), 'does not fit into 32 bits')
    : undefined;

const beyondInt64: Mistake = (site) =>
  site.schema.type === 'integer' ? change(site, 2 ** 63, 'does not fit into 64 bits') : undefined;

const badFormat: Mistake = (site, random) => {
  if (site.schema.format === 'byte') return change(site, random.pick(['%', 'abc', 'ab=c', '']), 'is not base64');
  if (site.schema.format !== 'date-time') return undefined;
  const times = [
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '',
  ] as const;
  return change(site, random.pick(times), 'is not an RFC 3339 time');
};

const missingField: Mistake = (site, random) => {
  const { required = [], properties = {} } = site.schema;
  const [first, ...more] = required.filter((name) => properties[name]?.default === undefined);
  if (first === undefined || !isRecord(site.value)) return undefined;
  const name = random.pick([first, ...more]);
  const { [name]: _, ...rest } = site.value;
  return change(site, rest, `lacks ${name}`, child(site.field, name));
};

const nullItem: Mistake = (site) => {
  const { items } = site.schema;
  if (!Array.isArray(site.value) || !items?.type || items.nullable) return undefined;
  return change(site, [...site.value, null], 'has null for an item', index(site.field, site.value.length));
};

const repeatedKey: Mistake = (site) => {
  const first = Array.isArray(site.value) ? site.value[0] : undefined;
  if (site.schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(site.value) || first === undefined)
    return undefined;
  return change(
    site,
    [...site.value, structuredClone(first)],
    'has the first item twice',
    index(site.field, site.value.length),
  );
};

const wrongCount: Mistake = (site) => {
  const { minItems, maxItems } = site.schema;
  const first = Array.isArray(site.value) ? site.value[0] : undefined;
  if (minItems) return change(site, [], 'has too few items');
  return maxItems === undefined || first === undefined
    ? undefined
    : change(
        site,
        Array.from({ length: maxItems + 1 }, () => structuredClone(first)),
        'has too many items',
      );
};

const brokenManifest: Mistake = (site, random) => {
  if (!site.schema['x-kubernetes-embedded-resource'] || !isRecord(site.value)) return undefined;
  const { value } = site;
  const [field, broken] = random.pick<[string, JsonObject]>([
    ['kind', Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'kind'))],
    ['apiVersion', { ...value, apiVersion: 'too/many/parts' }],
    ['kind', { ...value, kind: 'Not A Kind' }],
    ['metadata.labels', { ...value, metadata: { labels: { key: 'not a label!' } } }],
    ['metadata.name', { ...value, metadata: { name: 'a/b' } }],
  ]);
  return change(site, broken, `is a manifest with a wrong ${field}`, child(site.field, field));
};

const brokenRule: Mistake = (site) => {
  const rules = site.schema['x-kubernetes-validations'];
  if (!rules?.some(({ message }) => message === 'Condition is required for CEL rules') || !isRecord(site.value))
    return undefined;
  return change(site, { ...site.value, type: 'CEL', condition: '' }, 'breaks a CEL rule');
};

const MISTAKES: readonly [Mistake, ...Mistake[]] = [
  wrongType,
  unknownEnumValue,
  tooLongText,
  tooShortText,
  strangeText,
  tooSmall,
  tooLarge,
  beyondInt32,
  beyondInt64,
  badFormat,
  missingField,
  nullItem,
  repeatedKey,
  wrongCount,
  brokenManifest,
  brokenRule,
];

const METADATA: readonly [[string, JsonObject], ...[string, JsonObject][]] = [
  ['metadata.name', { name: 'Not_A_Name' }],
  ['metadata.name', { name: `${'a'.repeat(254)}` }],
  ['metadata.labels', { name: 'a', labels: { 'a/b/c': '' } }],
  ['metadata.labels', { name: 'a', labels: { key: 'no spaces' } }],
  ['metadata.annotations', { name: 'a', annotations: { '/key': '' } }],
  ['metadata.finalizers', { name: 'a', finalizers: ['not a finalizer'] }],
  ['metadata.ownerReferences', { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '' }] }],
  ['metadata.labels', { name: 'a', labels: { key: 1 } }],
];

const rotated = <T>(list: readonly T[], random: Random): T[] => {
  const start = random.below(list.length);
  return [...list.slice(start), ...list.slice(0, start)];
};

/** Breaks a field that the schema describes. */
export const breakField = (object: JsonObject, schema: StructuralSchema, random: Random): Breakage | undefined => {
  const { apiVersion: _, kind: __, metadata: ___, ...body } = schema.properties ?? {};
  const sites = sitesOf(object, { ...schema, properties: body });
  if (sites.length === 0) return undefined;
  // The mistake is chosen before the place, so that rare ones come up as often as wrong types, which fit anywhere.
  for (const mistake of rotated(MISTAKES, random)) {
    for (const site of rotated(sites, random)) {
      const breakage = mistake(site, random);
      if (breakage) return breakage;
    }
  }
  return undefined;
};

/** Breaks the metadata. */
const breakMetadata = (object: JsonObject, random: Random): Breakage => {
  const [field, metadata] = random.pick(METADATA);
  const { namespace } = isRecord(object.metadata) ? object.metadata : {};
  object.metadata = { ...metadata, ...(namespace === undefined ? {} : { namespace }) };
  return { what: 'has wrong metadata', field };
};

/** Breaks the object in one place: mostly a field, now and then its metadata. */
export const breakObject = (object: JsonObject, schema: StructuralSchema, random: Random): Breakage => {
  const breakage = random.chance(0.1) ? undefined : breakField(object, schema, random);
  return breakage ?? breakMetadata(object, random);
};
