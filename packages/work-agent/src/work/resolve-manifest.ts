import { type ManifestResourceMeta, type ManifestUpdateStrategy, WorkManifestCondition } from '@flotilla/api-types';
import { isConditionTrue, joinKey, type ResourceHandle } from '@flotilla/kube';
import type { ObjectMeta } from '@flotilla/schema';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';
import { isOwned, removalOf } from '../apply/ownership.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { identityOf, type Manifest } from '../manifest.ts';
import { rulesKeyOf, strategyOf } from '../rules.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
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
  /** Names the rules that observe the object; empty if there are none. */
  readonly rules: string;
  /** Labels, annotations and owners that the object must have. */
  readonly metadata: ObjectMeta;
  readonly strategy: ManifestUpdateStrategy['type'];
  /** Observed and not written: the manifest or its work is complete. */
  readonly isFrozen: boolean;
}

/** Finds out where a manifest goes and what it wants there, or why it cannot go anywhere. */
export async function resolveManifest(
  { spoke, kinds, rules, firstReads }: SyncDeps,
  sync: WorkSync,
  planned: PlannedManifest,
): Promise<ResolvedManifest | { readonly failure: ManifestFailure }> {
  const { manifest, error } = planned;
  if (!manifest || error !== undefined) {
    const message = `${error ?? undecodable}; tried again when the work changes`;
    return { failure: failureOf(new ApplyError({ message, waits: true })) };
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
    return { failure: failureOf(error) };
  }
}

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
): Pick<ResolvedManifest, 'intent' | 'rules' | 'metadata' | 'strategy' | 'isFrozen'> {
  const strategy = strategyOf(config);
  const { labels, annotations } = manifest.metadata ?? {};
  const ownerReferences = [owned ? sync.owner : removalOf(sync.owner)];
  const old = sync.reported.find(meta);
  return {
    intent: intentOf(digest, strategy, ownerReferences),
    rules: rulesKeyOf(config),
    metadata: strategy.type === 'CreateOnly' ? { ownerReferences } : { labels, annotations, ownerReferences },
    strategy: strategy.type,
    isFrozen: sync.isFrozen || isConditionTrue(old?.conditions, WorkManifestCondition.Complete),
  };
}
