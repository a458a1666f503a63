import type { KubeObject } from '@flotilla/api-types';
import { badRequest, conflict, invalid, modified, unsupportedMediaType } from '../../errors/api-errors.ts';
import { applyJsonPatch, applyMergePatch } from '../../patch/index.ts';
import { hasSubresource } from '../../schema/resource-info.ts';
import { bodyType } from '../../server/accept.ts';
import type { VerbHandler } from '../../server/handler.ts';
import { admissionRequest, optionsObject } from '../admit.ts';
import type { Backend, Call, Outcome } from '../backend.ts';
import { checkKind, decodeJson, decodeObject } from '../body.ts';
import { load } from '../get.ts';
import type { AnyObject } from '../prepare.ts';
import { inVersion } from '../selection.ts';
import { updateObject } from '../update.ts';
import { checkNamespace, type WriteOptions, writeOptions } from '../write-options.ts';
import { withoutAdmission } from './no-admission.ts';
import { type Scale, toScale, withReplicas } from './scale-object.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The `scale` subresource of deployments, replica sets, stateful sets, and of custom resources that have one. */
export const scaleVerbs: VerbHandler = (backend, verb, call) => {
  // Server-side apply of a Scale is not served: clients that scale use the other patches.
  if (call.subresource !== 'scale' || !hasSubresource(call.info, 'scale')) return undefined;
  if (verb === 'get') return answer(toScale(call.info, inVersion(call.info, load(backend, call))));
  if (verb === 'update') {
    const body: Scale = decodeObject(call, scaleKind);
    return write(backend, call, 'UpdateOptions', writeOptions(call, 'update'), () => body);
  }
  if (verb !== 'patch') return undefined;
  return write(backend, call, 'PatchOptions', writeOptions(call, 'patch'), patchOf(call));
};

const answer = (object: KubeObject): Outcome => ({ kind: 'object', status: 200, object });

const mergePatches = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
const jsonPatch = 'application/json-patch+json';

/** A Scale has no lists, so a strategic merge patch is a merge patch. */
function patchOf(call: Call): (scale: Scale) => Scale {
  const type = bodyType(call.headers['content-type']);
  if (type !== jsonPatch && !mergePatches.includes(type)) throw unsupportedMediaType([jsonPatch, ...mergePatches]);
  const body = decodeJson(call.body);
  return (scale) => {
    const patched = type === jsonPatch ? applyJsonPatch(scale, body) : applyMergePatch({ ...scale }, body);
    return checkKind(patched, scaleKind, true);
  };
}

/** Admission sees Scales; what is stored is the object behind. */
async function write(
  backend: Backend,
  call: Call,
  optionsKind: 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
  change: (scale: Scale) => Scale,
): Promise<Outcome> {
  const { info, name = '' } = call;
  const old = toScale(info, inVersion(info, load(backend, call)));
  const next = change(old);
  check(call, next, old);
  const request = { dryRun: options.dryRun, optionsObject: optionsObject(optionsKind, options) };
  const asked = admissionRequest(call, 'UPDATE', { object: next, oldObject: old }, request);
  const admitted: Scale = (await backend.admission.mutate(asked, call.warn)) ?? next;
  await backend.admission.validate({ ...asked, object: admitted }, call.warn);
  const object = await updateObject(withoutAdmission(backend), call, optionsKind, options, (stored: AnyObject) => {
    const wanted = next.metadata?.resourceVersion;
    if (wanted && wanted !== stored.metadata?.resourceVersion) throw conflict(info, name, modified);
    return withReplicas(info, stored, admitted.spec?.replicas ?? 0);
  });
  return answer(toScale(info, object));
}

function check(call: Call, next: Scale, old: Scale): void {
  const { name = '', info } = call;
  const given = next.metadata?.name ?? '';
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  checkNamespace(call, next.metadata?.namespace);
  const { uid } = next.metadata ?? {};
  if (uid && uid !== old.metadata?.uid) {
    throw conflict(
      info,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata?.uid}`,
    );
  }
  const replicas = next.spec?.replicas ?? 0;
  if (Number.isInteger(replicas) && replicas >= 0) return;
  throw invalid(scaleKind, name, [
    {
      reason: 'FieldValueInvalid',
      field: 'spec.replicas',
      message: `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    },
  ]);
}
