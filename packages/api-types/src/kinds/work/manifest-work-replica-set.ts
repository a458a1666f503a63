import {
  conditionColumn,
  conditions,
  defineKind,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { manifestWorkReplicaSets } from '../../resources.ts';
import { rolloutStrategy } from '../../schema/rollout-strategy.ts';
import { manifestWorkSpec } from './manifest-work-spec.ts';

const placementRef = object('A placement whose clusters get the work.', {
  name: text('Name of a Placement in this namespace.', { minLength: 1 }),
  rolloutStrategy: optional(rolloutStrategy({ type: 'All', all: { progressDeadline: 'None' } })),
});

const spec = object('What to distribute, and to which clusters.', {
  manifestWorkTemplate: optional(manifestWorkSpec('The spec of each ManifestWork.')),
  placementRefs: listOf('Placements whose clusters get the work.', placementRef, { minItems: 1 }),
  cascadeDeletionPolicy: oneOf(
    'Background deletes this object at once; Foreground waits until its ManifestWorks are gone.',
    ['Background', 'Foreground'],
    { default: 'Background' },
  ),
});

const summary = (description: string) =>
  object(description, {
    total: optional(integer('ManifestWorks that exist.')),
    desiredTotal: optional(integer('ManifestWorks that should exist.')),
    applied: optional(integer('ManifestWorks whose Applied condition is true.')),
    available: optional(integer('ManifestWorks whose Available condition is true.')),
    degraded: optional(integer('ManifestWorks whose Degraded condition is true.')),
    progressing: optional(integer('ManifestWorks whose Progressing condition is true.')),
    updated: optional(integer('ManifestWorks that carry the newest template.')),
  });

const placementSummary = object('Progress on one placement.', {
  name: optional(text('Name of the Placement.')),
  availableDecisionGroups: optional(text('How many decision groups are done, as text.')),
  summary: optional(summary('Counts of ManifestWorks of this placement.')),
});

const status = object('Progress of the distribution.', {
  conditions: optional(conditions('Whether the placements were found and the works applied and rolled out.')),
  summary: optional(summary('Counts of all ManifestWorks.')),
  placementSummary: optional(listOf('Progress by placement.', placementSummary)),
});

const schema = rootOf('Creates one ManifestWork for each cluster that its placements select.', {
  spec: optional(spec),
  status: optional(status),
});

/** What to distribute, and to which clusters. */
export type ManifestWorkReplicaSetSpec = Static<typeof spec>;
/** Progress of the distribution. */
export type ManifestWorkReplicaSetStatus = Static<typeof status>;
/** Counts of ManifestWorks. */
export type ManifestWorkReplicaSetSummary = Static<ReturnType<typeof summary>>;
/** A placement whose clusters get the work. */
export type LocalPlacementRef = Static<typeof placementRef>;
/** Creates one ManifestWork for each cluster that its placements select. */
export interface ManifestWorkReplicaSet extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const manifestWorkReplicaSetKind = defineKind({
  resource: manifestWorkReplicaSets,
  schema,
  shortNames: ['mwrs'],
  printerColumns: [
    conditionColumn('Placement', 'PlacementVerified', 'reason'),
    conditionColumn('Found', 'PlacementVerified'),
    conditionColumn('ManifestWorks', 'ManifestworkApplied', 'reason'),
    conditionColumn('Applied', 'ManifestworkApplied'),
    // OCM's columns end here: see ADR 0067.
    { name: 'Clusters', type: 'integer', jsonPath: '.status.summary.desiredTotal' },
    { name: 'Updated', type: 'integer', jsonPath: '.status.summary.updated' },
    { name: 'Available', type: 'integer', jsonPath: '.status.summary.available' },
    conditionColumn('Rolled-Out', 'PlacementRolledOut'),
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
