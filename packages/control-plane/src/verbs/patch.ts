import type { KubeError } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { badRequest, conflict, notFound, unsupportedByRouter, unsupportedMediaType } from '../errors/api-errors.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, unknownJsonPatchFields } from '../patch/index.ts';
import { bodyType } from '../requests/accept.ts';
import { resolveBuiltIn } from '../schema/built-in.ts';

import { createObject } from './create.ts';
import { isTooDeep, tooDeep } from './depth.ts';
import { fieldManagerOf, trackUpdate } from './managed-fields.ts';
import { decodeApplied, decodePatch, decodePatched } from './patch-body.ts';
import { type AnyObject, newObject } from './prepare.ts';
import { inNamespace, isStored, updateObject } from './update.ts';
import { checkName, checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';
const applyYaml = 'application/apply-patch+yaml';

/** The media types of patches for a kind, in the order of the API server's message. */
export const patchTypes = ({ source }: Call['info']): string[] =>
  source === 'built-in' ? [jsonPatch, mergePatch, strategicMergePatch, applyYaml] : [jsonPatch, mergePatch, applyYaml];

/** Built-in kinds are refused by the router of the API server, which says less. */
export const unsupportedPatch = (info: Call['info']): KubeError =>
  info.source === 'built-in' ? unsupportedByRouter() : unsupportedMediaType(patchTypes(info));

export async function patch(backend: Backend, call: Call): Promise<Outcome> {
  const type = bodyType(call.headers['content-type']);
  if (!patchTypes(call.info).includes(type)) throw unsupportedPatch(call.info);
  if (type === applyYaml) return applyPatch(backend, call, writeOptions(call, 'patch', true));
  const options = writeOptions(call, 'patch');
  const change = changeOf(backend, call, type, options);
  const object = await updateObject(backend, call, { optionsKind: 'PatchOptions', options, change });
  return { kind: 'object', status: 200, object };
}

/** The patch as a function of the present object; a resource version in the result is a precondition. */
function changeOf(backend: Backend, call: Call, type: string, options: WriteOptions): (old: AnyObject) => AnyObject {
  return (old) => {
    const patched = patchedBy(type, call.body, old, call.info);
    const unknown = type === jsonPatch ? unknownJsonPatchFields(decodePatch(call.body)) : [];
    const pruned = decodePatched(backend, call, patched, options, unknown);
    checkNamespace(call, pruned.metadata?.namespace);
    checkName(call, pruned);
    const defaulted = backend.schemas.applyDefaults(call.info, inNamespace(call, pruned));
    return trackUpdate(backend, call, old, defaulted, options);
  };
}

/** The document that a patch of one of the three plain types makes of another. */
export function patchedBy(
  type: string,
  body: Buffer,
  old: KubeObject,
  { schema }: Pick<Call['info'], 'schema'>,
): unknown {
  const operations = decodePatch(body);
  const document: Record<string, unknown> = { ...old };
  try {
    const patched =
      type === jsonPatch
        ? applyJsonPatch(document, operations)
        : type === mergePatch
          ? applyMergePatch(document, operations)
          : applyStrategicMergePatch(document, operations, schema, resolveBuiltIn);
    if (!isTooDeep(patched)) return patched;
  } catch (error) {
    // A document that is copied into itself again and again is deeper than the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  throw badRequest(`error decoding patch: ${tooDeep}`);
}

/** Server-side apply: creates what is not there, and merges what is. */
async function applyPatch(backend: Backend, call: Call, options: WriteOptions): Promise<Outcome> {
  const { info, name = '' } = call;
  const applied: AnyObject = decodeApplied(call, options);
  const time = new Date(backend.clock.now());
  const merge = (live?: AnyObject): AnyObject => {
    const merged: AnyObject = fieldManagerOf(backend, call).apply({
      applied,
      manager: options.fieldManager,
      force: options.force,
      time,
      ...(live && { live }),
    });
    const { uid } = merged.metadata ?? {};
    if (!live && uid) {
      throw conflict(
        info,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    checkNamespace(call, merged.metadata?.namespace);
    checkName(call, merged);
    return backend.schemas.applyDefaults(info, live ? inNamespace(call, merged) : newObject(call, merged));
  };
  if (!isStored(backend, call)) {
    if (call.subresource !== undefined) throw notFound(info, name);
    const merged = merge();
    const { resourceVersion: _, ...metadata } = merged.metadata ?? {};
    const created = { ...merged, metadata };
    call.requireVerb('create');
    return { kind: 'object', status: 201, object: await createObject(backend, call, created, options) };
  }
  const object = await updateObject(backend, call, { optionsKind: 'PatchOptions', options, change: merge });
  return { kind: 'object', status: 200, object };
}
