import { type ManifestResourceMeta, WorkManifestCondition } from '@flotilla/api-types';
import { isConditionTrue, joinKey, type ResourceHandle } from '@flotilla/kube';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';
import { isOwned, removalOf } from '../apply/ownership.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { identityOf, type Manifest, type Target } from '../manifest.ts';
import { rulesKeyOf, strategyOf } from '../rules.ts';
import type { Pass, PassDeps } from './pass.ts';
import type { PlannedManifest } from './plan.ts';
import type { Desire } from './settle.policy.ts';

/** A manifest that is known where to put. */
export interface Located {
  readonly manifest: Manifest;
  readonly target: Target;
  readonly meta: ManifestResourceMeta;
  readonly identity: string;
  readonly handle: ResourceHandle<Manifest>;
  readonly config: ResolvedConfig | undefined;
  readonly desire: Desire;
  readonly owned: boolean;
}

/** Finds out where a manifest goes and what it wants there, or why it cannot go anywhere. */
export async function locate(
  { spoke, kinds, rules }: PassDeps,
  pass: Pass,
  planned: PlannedManifest,
): Promise<Located | { readonly failure: ManifestFailure }> {
  const { manifest, problem } = planned;
  if (!manifest || problem !== undefined) {
    const message = `${problem ?? undecodable}; tried again when the work changes`;
    return { failure: failureOf(new ApplyError({ message, waits: true })) };
  }
  const { apiVersion = '', kind = '', metadata = {} } = manifest;
  try {
    const type = await kinds.find(pass.holder, apiVersion, kind);
    if (!type) throw notServed(apiVersion, kind);
    if (!metadata.name) throw new ApplyError({ message: nameless, waits: true });
    const namespace = type.namespaced ? (metadata.namespace ?? '') : '';
    const { namespace: _, ...others } = metadata;
    const placed: Manifest = { ...manifest, metadata: namespace ? { ...others, namespace } : others };
    const meta = { ...planned.meta, resource: type.plural, namespace };
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
      desire: desireOf(pass, planned.digest, { manifest: placed, meta, config, owned }),
    };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

const undecodable = 'the manifest is not an object with apiVersion and kind';
const nameless = 'metadata.name is not set; tried again when the work changes';

/** The failure of a kind that the cluster does not have; an event tells when it has. */
export const notServed = (apiVersion: string, kind: string): ApplyError =>
  new ApplyError({
    message: `the server doesn't have a resource type "${kind}"; tried again when ${apiVersion} ${kind} is served`,
    waits: true,
  });

function desireOf(
  pass: Pass,
  digest: string,
  { manifest, meta, config, owned }: Pick<Located, 'manifest' | 'meta' | 'config' | 'owned'>,
): Desire {
  const strategy = strategyOf(config);
  const { labels, annotations } = manifest.metadata ?? {};
  const ownerReferences = [owned ? pass.owner : removalOf(pass.owner)];
  const old = pass.reported.find(meta);
  return {
    intent: JSON.stringify([digest, strategy, ownerReferences]),
    rules: rulesKeyOf(config),
    metadata: strategy.type === 'CreateOnly' ? { ownerReferences } : { labels, annotations, ownerReferences },
    strategy: strategy.type,
    isFrozen: pass.isFrozen || isConditionTrue(old?.conditions, WorkManifestCondition.Complete),
  };
}
