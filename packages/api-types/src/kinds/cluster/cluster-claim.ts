import { defineKind, object, optional, type Resource, rootOf, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { clusterClaims } from '../../resources.ts';

const spec = object('The fact.', {
  value: optional(text('Value of the claim.', { minLength: 1, maxLength: 1024 })),
});

const schema = rootOf('A fact about a managed cluster, named by the object and reported to the hub.', {
  spec: optional(spec),
});

/** The fact. */
export type ClusterClaimSpec = Static<typeof spec>;
/** A fact about a managed cluster, named by the object and reported to the hub. */
export interface ClusterClaim extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const clusterClaimKind = defineKind({ resource: clusterClaims, schema, subresources: 'none' });
