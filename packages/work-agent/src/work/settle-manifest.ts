import { failureOf, type ManifestFailure } from '../apply/failure.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import { applyManifest } from './apply-manifest.ts';
import { type Located, locate } from './locate.ts';
import { type Findings, look } from './look.ts';
import type { ObjectRecord } from './memory.ts';
import type { Pass, PassDeps } from './pass.ts';
import type { PlannedManifest } from './plan.ts';
import { nextStep } from './settle.policy.ts';

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
  if (pass.isWithdrawn()) return { meta: located.meta, presence: withdrawn };

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
      return remember(pass, located, await applyManifest(deps, pass, located, record));
  }
}

/** What is listed of the manifest stays listed, and is taken away with the rest. */
const withdrawn = { kind: 'unreadable', message: 'the work was deleted' } as const;

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
