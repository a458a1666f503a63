import { defineKind, object, optional, plainConditions, type Resource, rootOf, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { managedClusterSetBindings } from '../../resources.ts';

const spec = object('Which cluster set the namespace may use.', {
  clusterSet: optional(text('Name of the cluster set; must equal the name of this binding.', { minLength: 1 })),
});

const status = object('What the hub observed.', {
  conditions: optional(plainConditions('Whether the set exists and is bound.')),
});

const schema = rootOf('Lets the placements of a namespace choose from the clusters of a set.', {
  spec: optional(spec),
  status: optional(status),
});

/** Which cluster set the namespace may use. */
export type ManagedClusterSetBindingSpec = Static<typeof spec>;
/** What the hub observed. */
export type ManagedClusterSetBindingStatus = Static<typeof status>;
/** Lets the placements of a namespace choose from the clusters of a set. */
export interface ManagedClusterSetBinding extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const managedClusterSetBindingKind = defineKind({
  resource: managedClusterSetBindings,
  schema,
  shortNames: ['mclsetbinding', 'mclsetbindings'],
});
