import { createHash } from 'node:crypto';
import { type ManifestResourceMeta, WorkManifestCondition } from '@flotilla/api-types';
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  isAbsence,
  isConditionTrue,
  joinKey,
  KubeError,
  namespaces,
  type ResourceHandle,
} from '@flotilla/kube';
import { applyCreateOnly } from '../apply/create-only.ts';
import { ApplyError, failureOf, type ManifestFailure, wordsOf } from '../apply/failure.ts';
import { isOwned, removalOf } from '../apply/ownership.ts';
import type { ApplyAnswer, ApplyRequest } from '../apply/request.ts';
import { applyServerSide } from '../apply/server-side-apply.ts';
import { otherWriters } from '../apply/update/trust.ts';
import { applyUpdate } from '../apply/update/update.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { identityOf, type Manifest, type Target } from '../manifest.ts';
import { rulesKeyOf, strategyOf } from '../rules.ts';
import type { ManifestResult, Presence } from '../status/manifest-status.ts';
import { findManifest } from '../status/work-status.ts';
import type { ObjectRecord } from './memory.ts';
import type { Pass, PassDeps } from './pass.ts';
import type { PlannedManifest } from './plan.ts';
import { rivalryOf } from './rivalry.ts';
import { type Desire, isRivalry, nextStep, repairsWith, rivalryPauseMs } from './settle.policy.ts';

/** A manifest that is known where to put. */
interface Located {
  readonly manifest: Manifest;
  readonly target: Target;
  readonly meta: ManifestResourceMeta;
  readonly identity: string;
  readonly handle: ResourceHandle<Manifest>;
  readonly config: ResolvedConfig | undefined;
  readonly desire: Desire;
  readonly owned: boolean;
}

/** Makes one manifest true, as far as that takes requests, and tells what is known of it. Never throws for what a manifest can cause. */
export async function settleManifest(deps: PassDeps, pass: Pass, planned: PlannedManifest): Promise<ManifestResult> {
  const { tracker, clock } = deps;
  const { meta } = planned;
  const located = await locate(deps, pass, planned);
  if ('failure' in located) return { meta, failure: located.failure, presence: { kind: 'incomplete' } };

  tracker.track(pass.holder, located.target);
  const record = pass.memory.records.get(located.identity);
  const refusal = await refusalOf(deps, pass, located);
  if (refusal) return remember(pass, located, await look(deps, pass, located, { ...record, failure: refusal }));

  const step = nextStep(record, tracker.look(located.target), located.desire, clock.monotonic());
  switch (step) {
    case 'rest':
      return remember(pass, located, { ...record, meta: located.meta });
    case 'note': {
      const sighting = tracker.look(located.target);
      const { resourceVersion, generation } = sighting.kind === 'seen' ? sighting.metadata : {};
      return remember(pass, located, { ...record, resourceVersion, generation, meta: located.meta });
    }
    case 'look':
      return remember(pass, located, await look(deps, pass, located, record ?? {}));
    case 'apply':
      return remember(pass, located, await apply(deps, pass, located, record));
  }
}

type Findings = Partial<ObjectRecord> & { readonly presence?: Presence };

/** Keeps what was found out for the next pass. */
function remember(
  { memory }: Pass,
  { identity, target, meta, desire }: Located,
  { presence, ...findings }: Findings,
): ManifestResult {
  const { intent, rules, isFrozen } = desire;
  const record: ObjectRecord = { repairs: [], ...findings, target, meta, intent, rules, isFrozen };
  memory.records.set(identity, record);
  const { failure, observation } = record;
  return {
    meta,
    presence: presence ?? (record.uid === undefined ? { kind: 'missing' } : { kind: 'present' }),
    ...(failure && { failure }),
    ...(observation && { observation }),
  };
}

async function locate(
  { spoke, kinds, rules }: PassDeps,
  pass: Pass,
  { manifest, meta: plannedMeta }: PlannedManifest,
): Promise<Located | { readonly failure: ManifestFailure }> {
  if (!manifest) return { failure: failureOf(new ApplyError({ message: undecodable, waits: true })) };
  const { apiVersion = '', kind = '', metadata = {} } = manifest;
  try {
    const type = await kinds.find(pass.holder, apiVersion, kind);
    if (!type) {
      const message = `the server doesn't have a resource type "${kind}"; tried again when ${apiVersion} ${kind} is served`;
      throw new ApplyError({ message, waits: true });
    }
    if (!metadata.name) throw new ApplyError({ message: 'metadata.name is not set', waits: true });
    const namespace = type.namespaced ? (metadata.namespace ?? '') : '';
    const { namespace: _, ...others } = metadata;
    const placed: Manifest = { ...manifest, metadata: namespace ? { ...others, namespace } : others };
    const meta = { ...plannedMeta, resource: type.plural, namespace };
    const config = rules.configOf(pass.work.spec?.manifestConfigs, meta);
    const owned = isOwned(pass.work.spec?.deleteOption, meta);
    return {
      manifest: placed,
      target: { type, key: joinKey(namespace, metadata.name) },
      meta,
      identity: identityOf(meta),
      handle: spoke.resource(type),
      config,
      owned,
      desire: desireOf(pass, { manifest: placed, meta, config, owned }),
    };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

const undecodable = 'the manifest is not an object with apiVersion and kind; tried again when the work changes';

function desireOf(
  pass: Pass,
  { manifest, meta, config, owned }: Pick<Located, 'manifest' | 'meta' | 'config' | 'owned'>,
): Desire {
  const strategy = strategyOf(config);
  const { labels, annotations } = manifest.metadata ?? {};
  const ownerReferences = [owned ? pass.owner : removalOf(pass.owner)];
  const old = findManifest(pass.work.status?.resourceStatus?.manifests ?? [], meta);
  return {
    intent: createHash('sha1')
      .update(JSON.stringify([manifest, strategy, ownerReferences]))
      .digest('base64'),
    rules: rulesKeyOf(config),
    metadata: strategy.type === 'CreateOnly' ? { ownerReferences } : { labels, annotations, ownerReferences },
    strategy: strategy.type,
    isFrozen: pass.isFrozen || isConditionTrue(old?.conditions, WorkManifestCondition.Complete),
  };
}

/** Why the executor of the work may not apply the manifest, if it may not. */
async function refusalOf(
  deps: PassDeps,
  pass: Pass,
  { meta, manifest, owned, desire }: Located,
): Promise<ManifestFailure | undefined> {
  const { executor } = pass.work.spec ?? {};
  if (desire.isFrozen || !executor) return undefined;
  const { group = '', version = '', resource = '', namespace = '', name = '' } = meta;
  try {
    const message = await deps.executor.check(
      executor,
      { group, version, resource, namespace, name, owned, manifest },
      pass.signal,
    );
    return message === undefined
      ? undefined
      : { reason: 'AppliedManifestFailed', message, waits: true, retryAfterMs: 60_000 };
  } catch (error) {
    return failureOf(error);
  }
}

/** Reads the object, whatever was found out about its application. */
async function look(
  { tracker, rules }: PassDeps,
  pass: Pass,
  located: Located,
  known: Partial<ObjectRecord>,
): Promise<Findings> {
  const { handle, target, config } = located;
  const { uid: _, resourceVersion: __, generation: ___, observation: ____, ...kept } = known;
  try {
    const object = await handle.find(target.key, { signal: pass.signal });
    if (!object) return { ...kept, presence: { kind: 'missing' } };
    const metadata = object.metadata ?? {};
    tracker.advance(pass.holder, target, metadata);
    return { ...kept, ...versionOf(object), observation: await rules.observe(object, config) };
  } catch (error) {
    return { ...kept, presence: { kind: 'unreadable', message: wordsOf(error) }, uid: known.uid };
  }
}

const versionOf = ({ metadata }: Manifest): Pick<ObjectRecord, 'uid' | 'resourceVersion' | 'generation'> => ({
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
  generation: metadata?.generation,
});

async function apply(
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
  const request = requestOf(deps, pass, located, record, isRepair, (live) => {
    rivals = otherWriters(live);
  });
  try {
    const { object, wrote } = await served(deps, pass, () => write(located, request));
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
      isRepair && wrote && sighting.kind === 'seen' && sighting.metadata.resourceVersion !== found.resourceVersion;
    if (!isUndone) return { ...found, repairs: record?.repairs ?? [] };
    const repairs = repairsWith(record.repairs, clock.monotonic());
    return isRivalry(repairs)
      ? { ...found, failure: rivalryOf(rivals, located.meta), pausedUntil: clock.monotonic() + rivalryPauseMs }
      : { ...found, repairs };
  } catch (error) {
    if (pass.signal.aborted) throw error;
    awaitNamespace(pass, error);
    return look(deps, pass, located, { ...record, failure: failureOf(error) });
  }
}

function requestOf(
  { tracker, writers, ignoreFields, clock }: PassDeps,
  pass: Pass,
  { manifest, target, handle, meta, identity, owned, desire }: Located,
  record: ObjectRecord | undefined,
  isRepair: boolean,
  onRepair: (live: Manifest) => void,
): ApplyRequest {
  const sighting = tracker.look(target);
  const old = findManifest(pass.work.status?.resourceStatus?.manifests ?? [], meta);
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
    isNew:
      sighting.kind === 'gone' ||
      (sighting.kind === 'unknown' && record?.uid === undefined && !record?.failure && !pass.applied.has(identity)),
    wasApplied,
    beforeRepair(live) {
      onRepair(live);
      const rival = writers.get(identity);
      if (!isRepair || rival === undefined || rival === pass.holder || !tracker.holders(target).has(rival)) return;
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

/** Pauses between tries of a kind that was established a moment ago: the server needs one to serve it. */
const servingPauses = [50, 200, 500];

async function served<T>({ kinds, clock }: PassDeps, { signal }: Pass, attempt: () => Promise<T>): Promise<T> {
  for (const pause of servingPauses) {
    try {
      return await attempt();
    } catch (error) {
      if (!KubeError.is(error, 'NotFound') || isAbsence(error)) throw error;
      kinds.forget();
      await clock.sleep(pause, signal);
    }
  }
  return attempt();
}

/** A namespace that is missing is watched for, so that its objects come as soon as it does. */
function awaitNamespace({ awaited }: Pass, error: unknown): void {
  const details = KubeError.is(error, 'NotFound') ? error.details : undefined;
  if (details?.kind === namespaces.plural && details.name) awaited.push({ type: namespaces, key: details.name });
}
