import type { KubeObject } from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import { badRequest, conflict, notFound, unsupportedMediaType } from '../errors/api-errors.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, unknownJsonPatchFields } from '../patch/index.ts';
import { resolveBuiltIn } from '../schema/built-in.ts';
import { bodyType } from '../server/accept.ts';
import { prune } from './admit.ts';
import type { Backend, Call, Outcome } from './backend.ts';
import { checkKind, decodeJson, decodeYaml, isObject } from './body.ts';
import { createObject } from './create.ts';
import { fieldManagerOf } from './managed-fields.ts';
import type { AnyObject } from './prepare.ts';
import { updateObject } from './update.ts';
import { checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';
const applyYaml = 'application/apply-patch+yaml';

export async function patch(backend: Backend, call: Call): Promise<Outcome> {
  const type = bodyType(call.headers['content-type']);
  const accepted = [jsonPatch, mergePatch, applyYaml];
  if (call.info.source === 'built-in') accepted.splice(2, 0, strategicMergePatch);
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted);
  if (type === applyYaml) return applyPatch(backend, call, writeOptions(call, 'patch', true));
  const options = writeOptions(call, 'patch');
  const change = changeOf(backend, call, type, options);
  const object = await updateObject(backend, call, 'PatchOptions', options, change);
  return { kind: 'object', status: 200, object };
}

/** The patch as a function of the present object; a resource version in the result is a precondition. */
function changeOf(backend: Backend, call: Call, type: string, options: WriteOptions): (old: AnyObject) => AnyObject {
  const body = decodeJson(call.body);
  if (type === jsonPatch) warnUnknown(call, unknownJsonPatchFields(body), options);
  return (old) => {
    const patched = patchedObject(call, type, body, old);
    const object = checkKind(patched, call.info, true);
    const name = object.metadata?.name ?? '';
    if (name !== '' && name !== call.name)
      throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
    checkNamespace(call, object.metadata?.namespace);
    return prune(backend, call, withVersion(object, old), options);
  };
}

function patchedObject(call: Call, type: string, body: unknown, old: AnyObject): unknown {
  const document: Record<string, unknown> = { ...old };
  if (type === jsonPatch) return applyJsonPatch(document, body);
  if (type === mergePatch) return applyMergePatch(document, body);
  return applyStrategicMergePatch(document, body, call.info.schema, resolveBuiltIn);
}

/** A patch that does not speak of the resource version does not insist on one. */
const withVersion = (object: KubeObject, old: AnyObject): KubeObject =>
  object.metadata?.resourceVersion
    ? object
    : { ...object, metadata: { ...object.metadata, resourceVersion: old.metadata?.resourceVersion } };

function warnUnknown(call: Call, unknown: readonly string[], { fieldValidation }: WriteOptions): void {
  if (unknown.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw badRequest(`strict decoding error: ${unknown.join(', ')}`);
  for (const warning of unknown) call.warn(warning);
}

/** Server-side apply: creates what is not there, and merges what is. */
async function applyPatch(backend: Backend, call: Call, options: WriteOptions): Promise<Outcome> {
  const body = decodeYaml(call.body);
  if (!isObject(body)) throw badRequest('error decoding YAML: the applied configuration must be an object');
  const applied = prune(backend, call, checkKind(body, call.info, false), options);
  if ((applied.metadata?.name ?? call.name) !== call.name) {
    throw badRequest(
      `the name of the object (${applied.metadata?.name}) does not match the name on the URL (${call.name})`,
    );
  }
  checkNamespace(call, applied.metadata?.namespace);
  const named: AnyObject = { ...applied, metadata: { ...applied.metadata, name: call.name } };
  const manager = fieldManagerOf(backend, call);
  const time = new Date(backend.clock.now());
  const settings = { applied: named, manager: options.fieldManager, force: options.force, time };

  const { info, namespace, name = '' } = call;
  if (!backend.storage.get(info.storage, joinKey(info.namespaced ? namespace : undefined, name))) {
    if (call.subresource !== undefined) throw notFound(info, name);
    if (named.metadata?.uid) {
      throw conflict(
        info,
        name,
        `uid mismatch: the provided object specified uid ${named.metadata.uid}, and no existing object was found`,
      );
    }
    const object = await createObject(backend, call, manager.apply(settings), options, true);
    return { kind: 'object', status: 201, object };
  }
  const object = await updateObject(
    backend,
    call,
    'PatchOptions',
    options,
    (old) => {
      const merged: AnyObject = manager.apply({ ...settings, live: old });
      return {
        ...merged,
        metadata: {
          ...merged.metadata,
          resourceVersion: named.metadata?.resourceVersion ?? old.metadata?.resourceVersion,
        },
      };
    },
    true,
  );
  return { kind: 'object', status: 200, object };
}
