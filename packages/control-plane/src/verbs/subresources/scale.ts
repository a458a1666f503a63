import type { KubeObject } from '@flotilla/schema';
import type { Backend } from '../../contracts/backend.ts';
import type { Call, Outcome } from '../../contracts/call.ts';
import { shown } from '../../contracts/conversions.ts';
import type { VerbHandler } from '../../contracts/handlers.ts';
import { hasSubresource } from '../../contracts/resource-info.ts';
import { invalid } from '../../errors/api-errors.ts';
import { createFieldManager, type FieldManager, FieldSet, fieldPath, objectType } from '../../patch/index.ts';
import { bodyType } from '../../requests/accept.ts';
import { resolveBuiltIn } from '../../schema/built-in.ts';
import { admissionRequest, mutate, optionsObject } from '../admit.ts';
import { decodeObject } from '../body.ts';
import { load } from '../get.ts';
import { patchedBy, patchTypes, unsupportedPatch } from '../patch.ts';
import { decodeApplied, decodePatchedView } from '../patch-body.ts';
import { updateObject } from '../update.ts';
import { checkName, checkNamespace, type WriteOptions, writeOptions } from '../write-options.ts';
import { withoutAdmission } from './no-admission.ts';
import { fromScale, type Scale, toManagedScale, toScale } from './scale-object.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const scaleSchema = { $ref: 'io.k8s.api.autoscaling.v1.Scale' };
const applyYaml = 'application/apply-patch+yaml';

/** The `scale` subresource of deployments, replica sets, stateful sets, and of custom resources that have one. */
export const scaleVerbs: VerbHandler = (backend, verb, call) => {
  if (call.subresource !== 'scale' || !hasSubresource(call.info, 'scale')) return undefined;
  if (verb === 'get') return getScale(backend, call);
  if (verb === 'update') {
    const options = writeOptions(call, 'update');
    const body = decodeObject(call, scaleKind, options.fieldValidation);
    return write(
      backend,
      call,
      'UpdateOptions',
      options,
      tracked(backend, options, () => body),
    );
  }
  return verb === 'patch' ? patchScale(backend, call) : undefined;
};

async function getScale(backend: Backend, call: Call): Promise<Outcome> {
  return answer(toScale(call.info, await shown(backend, call.info, load(backend, call))));
}

const answer = (object: KubeObject): Outcome => ({ kind: 'object', status: 200, object });

function patchScale(backend: Backend, call: Call): Promise<Outcome> {
  const type = bodyType(call.headers['content-type']);
  if (!patchTypes(call.info).includes(type)) throw unsupportedPatch(call.info);
  const options = writeOptions(call, 'patch', type === applyYaml);
  const change = (old: Scale): Scale =>
    decodePatchedView(patchedBy(type, call.body, old, { schema: scaleSchema }), scaleKind);
  if (type !== applyYaml) return write(backend, call, 'PatchOptions', options, tracked(backend, options, change));
  const applied = decodeApplied(call, options);
  const { fieldManager: manager, force } = options;
  const time = new Date(backend.clock.now());
  return write(backend, call, 'PatchOptions', options, (live) =>
    scaleManager().apply({ live, applied, manager, force, time }),
  );
}

/** Who writes a Scale owns the replicas of the object behind it. */
const scaleManager = (): FieldManager =>
  createFieldManager({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    subresource: 'scale',
    versions: new Map([
      [
        'autoscaling/v1',
        { type: objectType(scaleSchema, { resolve: resolveBuiltIn }), resetFields: FieldSet.of(fieldPath('status')) },
      ],
    ]),
    empty: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } },
  });

const tracked =
  ({ clock }: Backend, { fieldManager: manager }: WriteOptions, change: (old: Scale) => Scale) =>
  (live: Scale): Scale =>
    scaleManager().update({ live, next: change(live), manager, time: new Date(clock.now()) });

/** Admission sees Scales; what is stored is the object behind. */
async function write(
  backend: Backend,
  call: Call,
  optionsKind: 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
  change: (old: Scale) => Scale,
): Promise<Outcome> {
  const { info } = call;
  const old = toManagedScale(backend.registry, info, await shown(backend, info, load(backend, call)));
  const next = change(old);
  checkNamespace(call, next.metadata?.namespace);
  checkName(call, next);
  const request = { dryRun: options.dryRun, optionsObject: optionsObject(optionsKind, options) };
  const objects = { object: next, oldObject: old };
  const admitted = (await mutate(backend, call, 'UPDATE', objects, request)) as Scale;
  checkReplicas(call, admitted);
  const asked = admissionRequest(call, 'UPDATE', { object: admitted, oldObject: old }, request);
  await backend.admission.validate(asked, call.warn);
  const object = await updateObject(withoutAdmission(backend), call, {
    optionsKind,
    options,
    uid: optionsKind === 'UpdateOptions' ? admitted.metadata?.uid : undefined,
    change: (stored) => fromScale(backend.registry, info, stored, admitted),
  });
  return answer(toScale(info, object));
}

function checkReplicas({ name = '' }: Call, { spec }: Scale): void {
  const replicas = spec?.replicas ?? 0;
  if (Number.isInteger(replicas) && replicas >= 0) return;
  throw invalid(scaleKind, name, [
    {
      reason: 'FieldValueInvalid',
      field: 'spec.replicas',
      message: `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    },
  ]);
}
