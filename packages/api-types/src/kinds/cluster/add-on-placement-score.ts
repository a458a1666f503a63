import {
  conditions,
  defineKind,
  int32,
  listByKey,
  object,
  optional,
  type Resource,
  rootOf,
  text,
  timestamp,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { addOnPlacementScores } from '../../resources.ts';

const score = object('A score of the cluster.', {
  name: text('Name of the score.'),
  value: int32('The score; higher is better.', { minimum: -100, maximum: 100 }),
});

const status = object('Scores that an add-on computed.', {
  scores: optional(listByKey('The scores, by name.', ['name'], score)),
  validUntil: optional(timestamp('After this time the scores count as 0.')),
  conditions: optional(conditions('State of the scores.')),
});

const schema = rootOf('Scores of one cluster that placements can rank by.', { status: optional(status) });

/** Scores that an add-on computed. */
export type AddOnPlacementScoreStatus = Static<typeof status>;
/** Scores of one cluster that placements can rank by. */
export interface AddOnPlacementScore extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const addOnPlacementScoreKind = defineKind({ resource: addOnPlacementScores, schema });
