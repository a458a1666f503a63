import type { ManagedFieldsEntry } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { fieldPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';
import {
  compareText,
  fieldOf,
  isEmptyObject,
  isList,
  type JsonObject,
  valueAt,
  withField,
  withoutField,
} from './json.ts';

/** Who owns fields: an applier is one whatever version it applies; an updater is one per version it writes. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Unset for an applier. */
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** What one manager owns. */
export interface Ownership {
  readonly identity: ManagerIdentity;
  /** The version that the paths of the set are of. */
  readonly apiVersion: string;
  readonly fields: FieldSet;
  readonly time?: string;
}

/** The managers of an object by their key. Never changed in place. */
export type Managers = ReadonlyMap<string, Ownership>;

/** Fields that have no owner: they identify the object or belong to the server. */
const unownedFields = FieldSet.of(
  fieldPath('apiVersion'),
  fieldPath('kind'),
  fieldPath('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldPath('metadata', name)),
);

/** A set without the fields that cannot have an owner. */
export const ownable = (fields: FieldSet): FieldSet => fields.difference(unownedFields);

/** The identity of a manager for an operation; a manager without a name is `unknown`. */
export function identityOf(
  manager: string,
  operation: 'Apply' | 'Update',
  apiVersion: string,
  subresource: string | undefined,
): ManagerIdentity {
  return {
    manager: manager || 'unknown',
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource && { subresource }),
  };
}

/** The key of an identity: the same for the same manager, and ordered as the API server orders managers. */
export const managerKey = ({ manager, operation, apiVersion, subresource }: ManagerIdentity): string =>
  JSON.stringify({ manager, operation, apiVersion, subresource });

/** Reads metadata.managedFields. Throws SyntaxError for an entry that the API server would refuse. */
export function decodeManagedFields(entries: unknown): Managers {
  const managers = new Map<string, Ownership>();
  for (const [index, entry] of (isList(entries) ? entries : []).entries()) {
    const ownership = decodeEntry(isRecord(entry) ? entry : {}, index);
    managers.set(managerKey(ownership.identity), ownership);
  }
  return managers;
}

/** Why metadata.managedFields cannot be used, or undefined if it can; asked after admission webhooks had the object. */
export function managedFieldsError(entries: unknown): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

function decodeEntry(entry: JsonObject, index: number): Ownership {
  const operation = fieldOf(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`');
  const apiVersion = text(entry, 'apiVersion');
  if (apiVersion === '') throw new SyntaxError('apiVersion must not be empty');
  const fieldsType = text(entry, 'fieldsType');
  if (fieldsType === '') throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new SyntaxError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  const manager = text(entry, 'manager');
  const subresource = text(entry, 'subresource');
  const time = text(entry, 'time');
  return {
    identity: {
      manager,
      operation,
      ...(operation === 'Update' && { apiVersion }),
      ...(subresource && { subresource }),
    },
    apiVersion,
    fields: decodeFieldsV1(fieldOf(entry, 'fieldsV1') ?? {}),
    ...(time && { time }),
  };
}

function text(entry: JsonObject, name: string): string {
  const value = fieldOf(entry, name) ?? '';
  if (typeof value !== 'string') throw new SyntaxError(`${name} of a managed fields entry must be a string`);
  return value;
}

/** The managers as metadata.managedFields has them: appliers first, then by time and name. */
export function encodeManagedFields(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareOwnerships).map(({ identity, apiVersion, fields, time }) => ({
    ...(identity.manager && { manager: identity.manager }),
    operation: identity.operation,
    apiVersion,
    ...(time && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(fields),
    ...(identity.subresource && { subresource: identity.subresource }),
  }));
}

function compareOwnerships(a: Ownership, b: Ownership): number {
  return (
    compareText(a.identity.operation, b.identity.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.identity.manager, b.identity.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.identity.subresource ?? '', b.identity.subresource ?? '')
  );
}

/** When an ownership last changed, in seconds; 0 when that is not known. */
export const secondsOf = ({ time }: Ownership): number => (time ? Math.floor(Date.parse(time) / 1000) || 0 : 0);

/** A time as managedFields has it: to the second. */
export const timestamp = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** metadata.managedFields as it stands in an object. */
export const managedFieldsOf = (object: JsonObject): unknown => valueAt(object, 'metadata', 'managedFields');

/** A copy of the object with these managers, without the field if there are none. */
export function withManagedFields(object: JsonObject, managers: Managers): JsonObject {
  const metadata = fieldOf(object, 'metadata');
  const fields = isRecord(metadata) ? metadata : {};
  if (managers.size > 0) {
    return withField(object, 'metadata', withField(fields, 'managedFields', encodeManagedFields(managers)));
  }
  return Object.hasOwn(fields, 'managedFields')
    ? withField(object, 'metadata', withoutField(fields, 'managedFields'))
    : object;
}

/** An update with `managedFields: []` or `[{}]` asks to forget all managers. */
export function isReset(entries: unknown): boolean {
  if (!isList(entries)) return false;
  const [first, ...more] = entries;
  return first === undefined || (more.length === 0 && isRecord(first) && isEmptyObject(first));
}
