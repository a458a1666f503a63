import type { KubeObject } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { badRequest } from '../errors/api-errors.ts';
import { type ApplyOutcome, applyObject } from './apply.ts';
import { conflictRefusal } from './conflicts.ts';
import { fieldOf, isKubeObject, isList, type JsonObject, valueAt } from './json.ts';
import { conflictsBeyondLastApplied, kubectlManager, syncLastApplied } from './last-applied.ts';
import {
  decodeManagedFields,
  identityOf,
  isReset,
  type Managers,
  managedFieldsOf,
  timestamp,
  withManagedFields,
} from './managed-fields.ts';
import type { ValueType } from './object-type.ts';
import { type ServedVersions, updateOwners } from './ownership.ts';
import { plainError } from './refusal.ts';
import { checkType, TypeMismatch } from './typed-value.ts';

/** The configuration of the field manager of one endpoint: a kind in one version, the main resource or one of its subresources. */
export interface FieldManagerOptions {
  readonly apiVersion: string;
  readonly kind: string;
  /** Unset for the main resource. */
  readonly subresource?: string;
  /** Every version that the kind is served in; managers of other versions are dropped. Must have `apiVersion`. */
  readonly versions: ServedVersions;
  /** An object of the kind with nothing in it: what Go writes of an empty struct for a built-in kind, apiVersion and kind for a custom one. */
  readonly empty: object;
}

export interface UpdateOptions {
  /** Unset for a create. */
  readonly live?: KubeObject;
  /** What is about to be stored, with defaults. */
  readonly next: KubeObject;
  /** The `fieldManager` parameter, or the start of the user agent. */
  readonly manager: string;
  readonly time: Date;
}

export interface ApplyOptions {
  /** Unset when the object does not exist yet. */
  readonly live?: KubeObject;
  readonly applied: KubeObject;
  readonly manager: string;
  readonly force: boolean;
  readonly time: Date;
}

/** Keeps track of who owns which field of the objects of one endpoint. Pure: nothing that is passed in is changed. */
export interface FieldManager {
  /** The object to store with managedFields brought up to date: for create, update and the patches that are not apply. */
  update(options: UpdateOptions): KubeObject;
  /**
   * Server-side apply: the merged object, before defaults, with its managedFields. Throws KubeError: Conflict when others own
   * changed fields, BadRequest for a wrong type or managedFields in the applied object, Internal when it does not fit the schema.
   */
  apply(options: ApplyOptions): KubeObject;
}

const beforeFirstApply = 'before-first-apply';

interface TrackedUpdate {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly manager: string;
  readonly time: Date;
}

/** The field manager of one endpoint. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const { apiVersion, kind, subresource, versions } = options;
  const type = typeOfVersion(versions, apiVersion);
  const empty = asJson(options.empty);
  const trackUpdate = (managers: Managers, { before, after, manager, time }: TrackedUpdate): Managers => {
    const updater = identityOf(manager, 'Update', apiVersion, subresource);
    return updateOwners(managers, updater, { versions, apiVersion, before, after }, timestamp(time));
  };

  function update({ live: stored, next: sent, manager, time }: UpdateOptions): KubeObject {
    const live = stored ? asJson(stored) : empty;
    const next = asJson(sent);
    const managers = managersForUpdate(live, next, subresource !== undefined);
    const bare = withManagedFields(next, new Map());
    // An object that exists and has no managers is not tracked until it is applied.
    if (managers.size === 0 && hasUid(live)) return asObject(bare);
    const before = withManagedFields(live, new Map());
    // An update must not fail because of managedFields: they are dropped instead.
    if (!fits(type, bare) || !fits(type, before)) return asObject(bare);
    return asObject(withManagedFields(bare, trackUpdate(managers, { before, after: bare, manager, time })));
  }

  function apply({ live: stored, applied: sent, manager, force, time }: ApplyOptions): KubeObject {
    const applied = asJson(sent);
    const live = stored ? asJson(stored) : empty;
    const bare = withManagedFields(live, new Map());
    const decoded = decodeLive(live);
    checkApplied(applied, apiVersion, kind);
    requireFit(type, applied, 'refused', 'failed to create typed patch object', applied);
    requireFit(type, bare, 'allowed', 'failed to create typed live object', live);

    const managers =
      decoded.size > 0
        ? decoded
        : trackUpdate(decoded, { before: empty, after: bare, manager: beforeFirstApply, time });
    const run = (force: boolean): ApplyOutcome =>
      applyObject({
        versions,
        apiVersion,
        live: bare,
        applied,
        managers,
        applier: identityOf(manager, 'Apply', apiVersion, subresource),
        force,
        time: timestamp(time),
      });
    const outcome = run(force);
    const others =
      manager === kubectlManager
        ? conflictsBeyondLastApplied(outcome.conflicts, type, apiVersion, bare)
        : outcome.conflicts;
    if (others.length > 0) throw conflictRefusal(others);
    const { object, managers: owners } = outcome.conflicts.length === 0 ? outcome : run(true);
    const plain = isRecord(object) ? object : {};
    const merged = manager === kubectlManager ? syncLastApplied(plain, applied) : plain;
    return asObject(withManagedFields(merged, owners));
  }

  return { update, apply };
}

function typeOfVersion(versions: ServedVersions, apiVersion: string): ValueType {
  const version = versions.get(apiVersion);
  if (!version) throw new TypeError(`versions must have ${apiVersion}`);
  return version.type;
}

/** The managers an update starts from: those it sends, if it sends any, or else those of the live object. */
function managersForUpdate(live: JsonObject, next: JsonObject, isSubresource: boolean): Managers {
  const sent = managedFieldsOf(next);
  if (!isSubresource && isReset(sent)) return new Map();
  const managers = isSubresource ? undefined : decodeOrNone(sent);
  return managers && managers.size > 0 ? managers : (decodeOrNone(managedFieldsOf(live)) ?? new Map());
}

function decodeOrNone(entries: unknown): Managers | undefined {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function decodeLive(live: JsonObject): Managers {
  try {
    return decodeManagedFields(managedFieldsOf(live));
  } catch (error) {
    if (error instanceof SyntaxError) throw plainError(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

function checkApplied(applied: JsonObject, apiVersion: string, kind: string): void {
  if (fieldOf(applied, 'apiVersion') !== apiVersion || fieldOf(applied, 'kind') !== kind) {
    throw badRequest(`invalid object type: ${describeType(applied)}`);
  }
  if (isList(managedFieldsOf(applied))) throw badRequest('metadata.managedFields must be nil');
}

/** Group, version and kind as Go prints them: `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`. */
function describeType(object: JsonObject): string {
  const apiVersion = fieldOf(object, 'apiVersion');
  const kind = fieldOf(object, 'kind');
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function fits(type: ValueType, object: JsonObject): boolean {
  try {
    checkType(type, object, 'allowed');
    return true;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}

function requireFit(
  type: ValueType,
  value: JsonObject,
  duplicates: 'allowed' | 'refused',
  what: string,
  of: JsonObject,
): void {
  try {
    checkType(type, value, duplicates);
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const [namespace, name] = [valueAt(of, 'metadata', 'namespace'), valueAt(of, 'metadata', 'name')];
    throw plainError(`${what} (${textOf(namespace)}/${textOf(name)}; ${describeType(of)}): ${error.message}`);
  }
}

function hasUid(live: JsonObject): boolean {
  const uid = valueAt(live, 'metadata', 'uid');
  return typeof uid === 'string' && uid !== '';
}

function asJson(object: object): JsonObject {
  if (!isRecord(object)) throw new TypeError('an object must be a JSON object');
  return object;
}

function asObject(object: JsonObject): KubeObject {
  if (!isKubeObject(object)) throw new TypeError('an object must be a JSON object');
  return object;
}

/** What an applied configuration has in the place of a text; anything else counts as absent. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
