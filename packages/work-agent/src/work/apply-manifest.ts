import { WorkManifestCondition } from '@flotilla/api-types';
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  isAbsence,
  KubeError,
  namespaces,
} from '@flotilla/kube';
import { applyCreateOnly } from '../apply/create-only.ts';
import { ApplyError, failureOf } from '../apply/failure.ts';
import { removalOf } from '../apply/ownership.ts';
import type { ApplyAnswer, ApplyRequest } from '../apply/request.ts';
import { applyServerSide } from '../apply/server-side-apply.ts';
import { otherWriters } from '../apply/update/trust.ts';
import { applyUpdate } from '../apply/update/update.ts';
import type { Manifest } from '../manifest.ts';
import { strategyOf } from '../rules.ts';
import { type Located, notServed } from './locate.ts';
import { type Findings, look, versionOf } from './look.ts';
import type { ObjectRecord } from './memory.ts';
import type { Pass, PassDeps } from './pass.ts';
import { rivalryOf } from './rivalry.ts';
import { isRivalry, repairsWith, rivalryPauseMs } from './settle.policy.ts';

/** Makes the object of a manifest as it should be, by its strategy. A failure is a finding too. */
export async function applyManifest(
  deps: PassDeps,
  pass: Pass,
  located: Located,
  record: ObjectRecord | undefined,
): Promise<Findings> {
  const { tracker, writers, clock, rules, kinds } = deps;
  const { target, identity, desire } = located;
  const sighting = tracker.look(target);
  const isRepair =
    record !== undefined && record.intent === desire.intent && !record.failure && record.uid !== undefined;
  let rivals: readonly string[] = [];
  const request = requestOf(deps, pass, located, record, (live) => {
    rivals = otherWriters(live);
  });
  try {
    const { object, wrote } = await served(deps, pass, located, () => write(located, request));
    if (!object) return { presence: { kind: 'missing' } };
    tracker.advance(pass.holder, target, object.metadata ?? {});
    if (wrote) writers.set(identity, pass.holder);
    if (
      target.type.plural === customResourceDefinitions.plural &&
      target.type.group === customResourceDefinitions.group
    ) {
      kinds.learn(object as CustomResourceDefinition);
    }
    const found = { ...versionOf(object), observation: await rules.observe(object, located.config) };
    const isUndone =
      isRepair &&
      wrote &&
      mayUndo(located) &&
      sighting.kind === 'seen' &&
      sighting.metadata.resourceVersion !== found.resourceVersion;
    if (!isUndone) return { ...found, repairs: record?.repairs ?? [] };
    const repairs = repairsWith(record.repairs, clock.monotonic());
    return isRivalry(repairs)
      ? { ...found, repairs, failure: rivalryOf(rivals, located.meta), pausedUntil: clock.monotonic() + rivalryPauseMs }
      : { ...found, repairs };
  } catch (error) {
    if (pass.signal.aborted) throw error;
    awaitNamespace(pass, located, error);
    return look(deps, pass, located, { ...record, failure: failureOf(error) });
  }
}

function requestOf(
  { tracker, kinds, writers, ignoreFields, clock }: PassDeps,
  pass: Pass,
  { manifest, target, handle, meta, identity, owned, desire }: Located,
  record: ObjectRecord | undefined,
  onRepair: (live: Manifest) => void,
): ApplyRequest {
  const sighting = tracker.look(target);
  const old = pass.reported.find(meta);
  const said = old?.conditions.find(({ type }) => type === WorkManifestCondition.Applied);
  const wasApplied =
    record !== undefined
      ? record.intent === desire.intent
      : said?.status === 'True' && said.observedGeneration === pass.work.metadata?.generation;
  return {
    required: manifest,
    key: target.key,
    owner: owned ? pass.owner : removalOf(pass.owner),
    handle,
    isNewKind: kinds.isNew(target.type),
    isNew:
      sighting.kind === 'gone' ||
      (sighting.kind === 'unknown' && record?.uid === undefined && !record?.failure && !pass.applied.has(identity)),
    wasApplied,
    beforeRepair(live) {
      onRepair(live);
      const rival = writers.get(identity);
      // A new order is carried out; whoever gave the one before it is told.
      const isNewOrder = record?.intent !== desire.intent;
      if (isNewOrder || rival === undefined || rival === pass.holder || !tracker.holders(target).has(rival)) return;
      const [, name = rival] = rival.split('/');
      const message = `ManifestWork "${name}" applies the same object with other content; tried again when the object or one of the works changes`;
      throw new ApplyError({ message, waits: true });
    },
    ignoreFields,
    clock,
    signal: pass.signal,
  };
}

function write({ config, handle, target }: Located, request: ApplyRequest): Promise<ApplyAnswer> {
  const strategy = strategyOf(config);
  switch (strategy.type) {
    case 'CreateOnly':
      return applyCreateOnly(request);
    case 'ServerSideApply':
      return applyServerSide(request, strategy.serverSideApply);
    case 'ReadOnly':
      return handle.find(target.key, { signal: request.signal }).then((object) => ({ object, wrote: false }));
    default:
      return applyUpdate(request);
  }
}

/** An apply that is not forced takes nothing from others; another version of the object means only that they changed it, too. */
function mayUndo({ config }: Located): boolean {
  const { type, serverSideApply } = strategyOf(config);
  return type !== 'ServerSideApply' || (serverSideApply?.force ?? false);
}

/** Pauses between tries of a kind that was established a moment ago: the server needs one to serve it. */
const servingPauses = [50, 200, 500];

async function served<T>(
  { kinds, clock }: PassDeps,
  { holder, signal }: Pass,
  { manifest: { apiVersion = '', kind = '' } }: Located,
  attempt: () => Promise<T>,
): Promise<T> {
  for (const pause of servingPauses) {
    try {
      return await attempt();
    } catch (error) {
      if (!KubeError.is(error, 'NotFound') || isAbsence(error)) throw error;
      kinds.forget();
      if (!(await kinds.find(holder, apiVersion, kind))) throw notServed(apiVersion, kind);
      await clock.sleep(pause, signal);
    }
  }
  return attempt();
}

/** A namespace that is missing, or on its way out, is watched for, so that its objects come as soon as it is there (again). */
function awaitNamespace({ awaited }: Pass, { meta: { namespace } }: Located, error: unknown): void {
  const { code, details } = KubeError.from(error);
  const isMissing = code === 'NotFound' && details?.kind === namespaces.plural;
  const isEnding = code === 'Forbidden' && details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
  if (namespace && (isMissing || isEnding)) awaited.push({ type: namespaces, key: namespace });
}
