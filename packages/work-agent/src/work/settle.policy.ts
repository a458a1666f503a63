import type { ObjectMeta } from '@flotilla/api-types';
import { mergeMetadata } from '../apply/update/metadata.ts';
import type { Sighting } from '../watch/kind-watch.ts';
import type { ObjectRecord } from './memory.ts';

/** What a manifest wants now. */
export interface Desire {
  /** Names manifest, strategy and ownership. */
  readonly intent: string;
  /** Names the rules that look at the object; empty if none does. */
  readonly rules: string;
  /** Labels, annotations and owners that it must have. */
  readonly metadata: ObjectMeta;
  readonly strategy: 'Update' | 'CreateOnly' | 'ServerSideApply' | 'ReadOnly';
  /** Looked at and not written: the manifest or its work is complete. */
  readonly isFrozen: boolean;
}

/**
 * What is to be done about an object: `rest` asks the server nothing; `note` takes over what the watch told;
 * `look` reads the object; `apply` reads what it must and writes what differs.
 */
export type Step = 'rest' | 'note' | 'look' | 'apply';

/** Decides by what is known without asking. */
export function nextStep(record: ObjectRecord | undefined, sighting: Sighting, desire: Desire, now: number): Step {
  const write = desire.isFrozen || desire.strategy === 'ReadOnly' ? 'look' : 'apply';
  if (!record || record.intent !== desire.intent || (record.isFrozen && !desire.isFrozen)) return write;
  if (record.pausedUntil !== undefined && now < record.pausedUntil) return 'look';
  if (record.failure || sighting.kind === 'unknown') return write;
  if (sighting.kind === 'gone') return write === 'look' && record.uid === undefined ? 'rest' : write;

  const { metadata } = sighting;
  if (metadata.uid !== record.uid) return write;
  const read = desire.rules === '' ? 'note' : 'look';
  if (metadata.resourceVersion === record.resourceVersion) return record.rules === desire.rules ? 'rest' : 'look';
  if (write === 'look') return read;
  // Only a change of the body moves the generation, where a kind has one.
  const isBodyRight =
    desire.strategy === 'CreateOnly' ||
    (metadata.generation !== undefined && metadata.generation === record.generation);
  return isBodyRight && mergeMetadata(metadata, desire.metadata) === metadata ? read : 'apply';
}

/** Changes undone within this time count together. */
export const rivalryWindowMs = 600_000;
/** After so many of them the other writer is named and left alone. */
const mostRepairs = 5;
/** For so long. */
export const rivalryPauseMs = 300_000;

/** The times of the changes that were undone lately, this one included. */
export const repairsWith = (repairs: readonly number[], now: number): number[] =>
  [...repairs, now].filter((time) => now - time < rivalryWindowMs);

/** Whether going on would be a fight. */
export const isRivalry = (repairs: readonly number[]): boolean => repairs.length >= mostRepairs;
