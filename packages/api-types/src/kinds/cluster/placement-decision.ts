import { defineKind, int64, listOf, object, optional, type Resource, rootOf, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { placementDecisions } from '../../resources.ts';

const decision = object('A selected cluster.', {
  clusterName: text('Name of the ManagedCluster.'),
  reason: text('Why the cluster was selected; may be empty.'),
  score: optional(int64('Total score of the cluster.')),
});

const status = object('The selected clusters.', {
  decisions: listOf('Selected clusters, at most 100 for each object.', decision),
});

const schema = rootOf('A page of the clusters that a placement selected.', { status: optional(status) });

/** A selected cluster. */
export type ClusterDecision = Static<typeof decision>;
/** The selected clusters. */
export type PlacementDecisionStatus = Static<typeof status>;
/** A page of the clusters that a placement selected. */
export interface PlacementDecision extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const placementDecisionKind = defineKind({ resource: placementDecisions, schema });
