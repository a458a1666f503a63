import { conditions, int64, listOf, object, oneOf, optional, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';

// What ClusterManager and Klusterlet have in common.

const featureGate = object('A feature that is switched on or off.', {
  feature: text('Name of the feature.'),
  mode: optional(oneOf('Whether the feature is on.', ['Enable', 'Disable'], { default: 'Disable' })),
});

/** Features that differ from their defaults. */
export const featureGates = () => optional(listOf('Features that differ from their defaults.', featureGate));

const objectReference = () => ({
  group: text('API group of the object.'),
  version: text('API version of the object.'),
  resource: text('Plural name of the resource.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
});

const relatedResource = object('An object that the operator keeps.', objectReference());

const generation = object('Generation of an object that the operator keeps.', {
  ...objectReference(),
  lastGeneration: int64('Generation of the object when the operator last wrote it.'),
});

/** The status of ClusterManager and Klusterlet. */
export const operatorStatus = object('What the operator observed.', {
  observedGeneration: optional(int64('Generation of this object that was last acted on.')),
  conditions: optional(conditions('State of what the operator runs.')),
  generations: optional(listOf('Generations of the objects that the operator keeps.', generation)),
  relatedResources: optional(listOf('Objects that the operator keeps.', relatedResource)),
});

/** An AWS EKS cluster, in any partition. OCM takes only the partition `aws` and no underscore in names, which EKS allows. */
export const EKS_CLUSTER_ARN = '^arn:aws(-[a-z]+)*:eks:([a-zA-Z0-9-]+):(\\d{12}):cluster/([a-zA-Z0-9][a-zA-Z0-9_-]*)$';

/** A host name or an IPv4 address. */
export const HOST_NAME =
  '^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9])$';

/** A feature that is switched on or off. */
export type FeatureGate = Static<typeof featureGate>;
/** What the operator observed. */
export type OperatorStatus = Static<typeof operatorStatus>;
/** An object that the operator keeps. */
export type RelatedResource = Static<typeof relatedResource>;
