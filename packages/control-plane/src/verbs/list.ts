import { KubeError, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call, ObjectList, Outcome } from '../contracts/call.ts';
import { badRequest, expired, type FieldCause, invalid, timeout } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';
import { parseJsonBody, refuseSyntax } from './body.ts';
import { type Selection, selectionOf } from './selection.ts';

/** Where the next page starts: after this key, in the state of this revision. */
interface Continue {
  readonly rv: number;
  readonly start: string;
}

export async function list(backend: Backend, call: Call): Promise<Outcome> {
  const { query, info } = call;
  const selection = selectionOf(info, query);
  const limit = positive(query.get('limit'));
  const from = continueOf(query);
  checkResourceVersion(backend, query, from !== undefined);
  const at = from?.rv ?? exactRevision(query);
  const stored = page(itemsAt(backend, call, at), selection, limit, from, at ?? backend.storage.revision);
  return { kind: 'list', list: { ...stored, items: await backend.conversions.show(info, stored.items) } };
}

function itemsAt({ storage }: Backend, { info, namespace, name }: Call, at: number | undefined): readonly KubeObject[] {
  const scope = info.namespaced ? namespace : undefined;
  if (name !== undefined) throw badRequest('a list has no name');
  if (at === undefined) return storage.list(info.storage, scope);
  try {
    return storage.listAt(info.storage, at, scope);
  } catch (error) {
    if (!KubeError.is(error, 'Expired')) throw error;
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
}

function page(
  items: readonly KubeObject[],
  selection: Selection,
  limit: number,
  from: Continue | undefined,
  revision: number,
): ObjectList {
  const first = from ? items.findIndex((object) => keyOf(object) > from.start) : 0;
  const rest = first < 0 ? [] : first === 0 ? items : items.slice(first);
  const chosen: KubeObject[] = [];
  let consumed = 0;
  for (const object of rest) {
    if (limit > 0 && chosen.length === limit) break;
    consumed++;
    if (selection.matches(object)) chosen.push(object);
  }
  const last = rest[consumed - 1];
  // Whether anything of what follows is wanted is seen when it is read.
  const more = last !== undefined && consumed < rest.length;
  return {
    items: chosen,
    metadata: {
      resourceVersion: String(revision),
      ...(more && { continue: encodeContinue({ rv: revision, start: keyOf(last) }) }),
      ...(more && selection.selectsAll && { remainingItemCount: rest.length - consumed }),
    },
  };
}

const encodeContinue = ({ rv, start }: Continue): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: `${start}\u0000` })).toString('base64url');

function continueOf(query: URLSearchParams): Continue | undefined {
  const token = query.get('continue');
  if (!token) return undefined;
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const { value } = refuseSyntax(() => parseJsonBody(Buffer.from(token, 'base64url')), refuse);
  const { v, rv, start } = isRecord(value) ? value : {};
  if (v !== 'meta.k8s.io/v1') throw refuse(`server does not recognize this encoded version ${v ?? ''}`);
  if (typeof start !== 'string' || start === '') throw refuse('encoded start key is empty');
  if (typeof rv !== 'number') throw refuse('incorrect encoded start resourceVersion 0 (version meta.k8s.io/v1)');
  return { rv, start: start.replace(/\0$/, '') };
}

/** Only a list asked for exactly one version reads the past. */
const exactRevision = (query: URLSearchParams): number | undefined => {
  const version = query.get('resourceVersion');
  return query.get('resourceVersionMatch') === 'Exact' && version ? Number(version) : undefined;
};

/** The rules of resourceVersion, resourceVersionMatch and continue together. */
function checkResourceVersion({ storage }: Backend, query: URLSearchParams, continued: boolean): void {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const causes: FieldCause[] = [];
  const forbid = (field: string, why: string) =>
    causes.push({ reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` });
  if (match !== '') {
    if (continued) forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided');
    else if (version === '') {
      forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push({
        reason: 'FieldValueNotSupported',
        field: 'resourceVersionMatch',
        message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
      });
    }
    if (match === 'Exact' && version === '0') {
      forbid('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (query.has('sendInitialEvents')) forbid('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  if (continued && version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  checkNotFuture(storage.revision, parseRevision(version));
}

/** A revision from the future is of another server: the client gets an error at once instead of waiting. */
export function checkNotFuture(current: number, wanted: number): void {
  if (wanted > current) throw timeout(`Too large resource version: ${wanted}, current: ${current}`, 1);
}

/** Why a resource version is invalid; undefined if it is valid. */
export const resourceVersionError = (version: string): string | undefined =>
  /^\d*$/.test(version)
    ? undefined
    : `resourceVersion: Invalid value: ${goQuote(version)}: strconv.ParseUint: parsing ${goQuote(version)}: invalid syntax`;

function parseRevision(version: string): number {
  const versionError = resourceVersionError(version);
  if (versionError !== undefined) throw badRequest(`invalid resource version: ${versionError}`);
  return Number(version);
}

/** An integer of the query; what is absent or negative means no limit. */
export function positive(value: string | null): number {
  if (value === null || value === '') return 0;
  if (!/^-?\d+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  const number = Number(value);
  return Math.max(0, number);
}
