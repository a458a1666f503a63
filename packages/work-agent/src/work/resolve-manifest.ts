import { type ManifestResourceMeta, type ManifestUpdateStrategy, WorkManifestCondition } from '@flotilla/api-types';
import { isConditionTrue, joinKey, type ResourceHandle } from '@flotilla/kube';
import { ruleRunner } from '@flotilla/rules/runner';
import type { ObjectMeta } from '@flotilla/schema';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';
import { isOwned, removalOf } from '../apply/ownership.ts';
import { reportLimitsOf } from '../config/report-limits.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { identityOf, type Manifest } from '../manifest.ts';
import { limitedRulesKeyOf, strategyOf } from '../rules.ts';
import type { Presence } from '../status/manifest-status.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
import { isDeletedWhenFinished } from './finished-job.ts';
import { intentOf } from './intent.ts';
import type { PlannedManifest } from './plan.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** A manifest, where it goes on the cluster, and what it wants there. */
export interface ResolvedManifest {
  readonly manifest: Manifest;
  readonly target: ObjectAddress;
  readonly meta: ManifestResourceMeta;
  readonly identity: string;
  readonly handle: ResourceHandle<Manifest>;
  readonly config: ResolvedConfig | undefined;
  readonly owned: boolean;
  /** Names manifest, strategy and ownership. */
  readonly intent: string;
  /** Names what is observed of the object; empty if nothing is. */
  readonly rules: string;
  /** What messages of its conditions may have together. */
  readonly letters: number;
  /** Labels, annotations and owners that the object must have. */
  readonly metadata: ObjectMeta;
  readonly strategy: ManifestUpdateStrategy['type'];
  /** Whether it must be known that the object, a Job, finished before it was deleted. */
  readonly isFinishObserved: boolean;
  /** Observed and not written: the manifest or its work is complete. */
  readonly isFrozen: boolean;
}

/** A manifest that cannot go anywhere, and why. */
export interface UnresolvedManifest {
  readonly failure: ManifestFailure;
  readonly presence: Presence;
}

/** Finds out where a manifest goes and what it wants there, or why it cannot go anywhere. */
export async function resolveManifest(
  { spoke, kinds, rules, firstReads }: SyncDeps,
  sync: WorkSync,
  planned: PlannedManifest,
): Promise<ResolvedManifest | UnresolvedManifest> {
  const { manifest, error } = planned;
  if (!manifest || error !== undefined) {
    const message = `${error ?? undecodable}; tried again when the work changes`;
    const failure = failureOf(new ApplyError({ message, waits: true }));
    return { failure, presence: error === undefined ? incomplete : { kind: 'unapplied', message: error } };
  }
  const { apiVersion = '', kind = '', metadata = {} } = manifest;
  try {
    const type = await kinds.find(sync.holder, apiVersion, kind);
    if (!type) throw notServed(apiVersion, kind);
    if (!metadata.name) throw new ApplyError({ message: nameless, waits: true });
    const namespace = type.namespaced ? (metadata.namespace ?? '') : '';
    const { namespace: _, ...others } = metadata;
    const placed: Manifest = { ...manifest, metadata: namespace ? { ...others, namespace } : others };
    const meta = { ...planned.meta, resource: type.plural, namespace };
    // Configs with wildcards are compared one by one.
    await ruleRunner.whenFree(1);
    const config = rules.configOf(sync.work.spec?.manifestConfigs, meta);
    const owned = isOwned(sync.work.spec?.deleteOption, meta);
    const target = { type, key: joinKey(namespace, metadata.name) };
    return {
      manifest: placed,
      target,
      meta,
      identity: identityOf(meta),
      handle: firstReads.over(sync.holder, target, spoke.resource(type)),
      config,
      owned,
      ...desiredOf(sync, planned.digest, { manifest: placed, meta, config, owned }),
    };
  } catch (error) {
    return { failure: failureOf(error), presence: incomplete };
  }
}

const incomplete = { kind: 'incomplete' } as const;

const undecodable = 'the manifest is not an object with apiVersion and kind';
const nameless = 'metadata.name is not set; tried again when the work changes';

/** The failure of a kind that the cluster does not serve; an event follows when it does. */
export const notServed = (apiVersion: string, kind: string): ApplyError =>
  new ApplyError({
    message: `the server doesn't have a resource type "${kind}"; tried again when ${apiVersion} ${kind} is served`,
    waits: true,
  });

function desiredOf(
  sync: WorkSync,
  digest: string,
  { manifest, meta, config, owned }: Pick<ResolvedManifest, 'manifest' | 'meta' | 'config' | 'owned'>,
): Pick<ResolvedManifest, 'intent' | 'rules' | 'letters' | 'metadata' | 'strategy' | 'isFinishObserved' | 'isFrozen'> {
  const strategy = strategyOf(config);
  const { labels, annotations } = manifest.metadata ?? {};
  const ownerReferences = [owned ? sync.owner : removalOf(sync.owner)];
  const old = sync.reported.find(meta);
  const isFinishObserved = isDeletedWhenFinished(manifest);
  const limits = reportLimitsOf(sync.plan.length);
  const observers = [
    limitedRulesKeyOf(config, limits),
    sync.reportsReadiness && 'readiness',
    isFinishObserved && 'finish',
  ];
  return {
    intent: intentOf(digest, strategy, ownerReferences),
    rules: observers.filter(Boolean).join(' '),
    letters: limits.letters,
    metadata: strategy.type === 'CreateOnly' ? { ownerReferences } : { labels, annotations, ownerReferences },
    strategy: strategy.type,
    isFinishObserved,
    isFrozen: sync.isFrozen || isConditionTrue(old?.conditions, WorkManifestCondition.Complete),
  };
}
