import { mergeMetadata } from '../apply/update/metadata.ts';
import { digestOf } from './intent.ts';
import type { ObjectState } from './object-state.ts';
import { hasCauseToRetry, type RetryMoment } from './outcome.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';

/**
 * What a sync does about an object: `none` sends no request; `record` takes over the cached metadata; `observe` reads the object;
 * `apply` reads what it must and writes what differs; `finish` records that a Job has finished and was deleted.
 */
export type Step = 'none' | 'record' | 'observe' | 'apply' | 'finish';

/** What the decision depends on. */
export type Desired = Pick<ResolvedManifest, 'intent' | 'rules' | 'letters' | 'metadata' | 'strategy' | 'isFrozen'>;

/** When it is decided: the parts of a retry that are not known from the state. */
export type Moment = Pick<RetryMoment, 'now' | 'generation' | 'cached' | 'awaited'>;

/** Decides by what is known without a request. */
export function nextStep(state: ObjectState | undefined, desired: Desired, moment: Moment): Step {
  const { cached } = moment;
  const allowed = desired.isFrozen || desired.strategy === 'ReadOnly' ? 'observe' : 'apply';
  if (!state || !isSameIntent(state, desired)) return allowed;
  const isGone =
    cached.kind === 'deleted' || (cached.kind === 'present' && cached.metadata.deletionTimestamp !== undefined);
  if (state.outcome.kind === 'finished') return isGone || cached.kind === 'unknown' ? 'none' : allowed;
  if (isGone && state.observation?.isFinishedJob) return 'finish';
  const write = allowed === 'apply' && isDue(state, moment) ? 'apply' : 'observe';
  if (write === 'apply' && state.outcome.kind !== 'applied') return 'apply';
  if (cached.kind === 'unknown') return write;
  if (cached.kind === 'deleted') return write === 'observe' && state.uid === undefined ? 'none' : write;

  const { metadata } = cached;
  if (metadata.uid !== state.uid) return write;
  const read = desired.rules === '' ? 'record' : 'observe';
  if (metadata.resourceVersion === state.resourceVersion) return isSameReport(state, desired) ? 'none' : 'observe';
  if (write === 'observe') return read;
  // Only a change of the body moves the generation, where a kind has one.
  const isBodyRight =
    desired.strategy === 'CreateOnly' ||
    (metadata.generation !== undefined && metadata.generation === state.generation);
  return isBodyRight && mergeMetadata(metadata, desired.metadata) === metadata ? read : 'apply';
}

/** Whether the hub wants what it wanted before. Of a Job that finished only the manifest counts: no object is left to write otherwise. */
const isSameIntent = ({ intent, outcome }: ObjectState, desired: Desired): boolean =>
  intent === desired.intent || (outcome.kind === 'finished' && digestOf(intent) === digestOf(desired.intent));

/** Whether the same is reported of the same version. */
const isSameReport = ({ rules, observation }: ObjectState, desired: Desired): boolean =>
  rules === desired.rules && (observation?.cutAt === undefined || observation.cutAt === desired.letters);

/** Whether the object may be written now. */
function isDue({ outcome, uid, resourceVersion, generation }: ObjectState, moment: Moment): boolean {
  switch (outcome.kind) {
    case 'failed':
      return (
        moment.now >= outcome.retryAt ||
        hasCauseToRetry(outcome, { ...moment, seen: { uid, resourceVersion, generation } })
      );
    case 'paused':
      return moment.now >= outcome.until;
    default:
      return true;
  }
}
