import { object, optional, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';

// How add-on kinds point at configuration objects.

/** Group and resource of a configuration kind. */
export const configGroupResource = () => ({
  group: optional(text('API group of the configuration; empty for the core group.', { default: '' })),
  resource: text('Plural name of the configuration’s resource.', { minLength: 1 }),
});

/** Namespace and name of a configuration object. */
export const configReferent = () => ({
  namespace: optional(text('Namespace of the configuration; empty if it is cluster-scoped.')),
  name: text('Name of the configuration.', { minLength: 1 }),
});

/** A configuration of an add-on, by kind and name. */
export const addOnConfig = object('A configuration of the add-on.', { ...configGroupResource(), ...configReferent() });

const configSpecHash = (description: string) =>
  object(description, {
    ...configReferent(),
    specHash: optional(text('Hash of the configuration’s spec.')),
  });

/** The configuration that should be used. */
export const desiredConfig = () => optional(configSpecHash('The configuration that should be used.'));
/** The configuration that is in use. */
export const lastAppliedConfig = () => optional(configSpecHash('The configuration that is in use.'));
/** The newest configuration that worked everywhere. */
export const lastKnownGoodConfig = () => optional(configSpecHash('The newest configuration that worked everywhere.'));

/** How an add-on is displayed. */
export const addOnMeta = object('How the add-on is displayed.', {
  displayName: optional(text('Display name of the add-on.')),
  description: optional(text('What the add-on does.')),
});

/** A configuration of an add-on, by kind and name. */
export type AddOnConfig = Static<typeof addOnConfig>;
/** A configuration with the hash of its spec. */
export type ConfigSpecHash = Static<ReturnType<typeof configSpecHash>>;
