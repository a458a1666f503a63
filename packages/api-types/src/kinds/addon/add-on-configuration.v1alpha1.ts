import { int64, object, optional, text } from '@flotilla/schema/define';

/** The first way to name a configuration; v1beta1 dropped it. */
export const addOnConfiguration = object('Deprecated: use configs. A configuration by the name of its CRD.', {
  crdName: optional(text('Name of the CustomResourceDefinition.')),
  crName: optional(text('Name of the configuration.')),
  lastObservedGeneration: optional(int64('Generation of the configuration that was last acted on.')),
});
