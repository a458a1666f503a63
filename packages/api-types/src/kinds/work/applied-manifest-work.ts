import { defineKind, listOf, object, optional, type Resource, rootOf, text, timestamp } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { appliedManifestWorks } from '../../resources.ts';

const spec = object('Which ManifestWork of which hub this belongs to.', {
  hubHash: text('Hash of the hub’s address.'),
  manifestWorkName: text('Name of the ManifestWork on the hub.'),
  agentID: optional(text('The agent that applied the work.')),
});

const appliedResource = object('An applied object.', {
  group: optional(text('API group of the object.')),
  version: text('API version of the object.'),
  resource: text('Plural name of the resource.'),
  name: text('Name of the object.'),
  namespace: optional(text('Namespace of the object.')),
  uid: optional(text('Identity of the object; another object of the same name is never deleted.')),
});

const status = object('What was applied.', {
  appliedResources: optional(listOf('Objects that were applied and are cleaned up with the work.', appliedResource)),
  evictionStartTime: optional(timestamp('When the hub’s work was first missed; clean-up follows a grace period.')),
});

const schema = rootOf('Records on the managed cluster what a ManifestWork has applied.', {
  spec: optional(spec),
  status: optional(status),
});

/** Which ManifestWork of which hub this belongs to. */
export type AppliedManifestWorkSpec = Static<typeof spec>;
/** What was applied. */
export type AppliedManifestWorkStatus = Static<typeof status>;
/** An applied object. */
export type AppliedManifestResource = Static<typeof appliedResource>;
/** Records on the managed cluster what a ManifestWork has applied. */
export interface AppliedManifestWork extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const appliedManifestWorkKind = defineKind({ resource: appliedManifestWorks, schema });
