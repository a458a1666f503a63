import { conditions, listByKey, listOf, object, oneOf, optional, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { rolloutStrategy } from '../../schema/rollout-strategy.ts';
import {
  addOnConfig,
  configGroupResource,
  desiredConfig,
  lastAppliedConfig,
  lastKnownGoodConfig,
} from './config-reference.ts';

// What both versions of ClusterManagementAddOn say about installing.

const placementNamespace = () => text('Namespace of the Placement.', { minLength: 1 });
const placementName = () => text('Name of the Placement.', { minLength: 1 });

const placementStrategy = object('How the clusters of one placement get the add-on.', {
  namespace: placementNamespace(),
  name: placementName(),
  configs: optional(listOf('Configurations for these clusters.', addOnConfig)),
  rolloutStrategy: optional(rolloutStrategy({ type: 'All' })),
});

/** Which clusters get an add-on without being asked. */
export const installStrategy = object(
  'Which clusters get the add-on without being asked.',
  {
    type: optional(
      oneOf(
        'Manual installs nothing by itself; Placements installs on the clusters of placements.',
        ['Manual', 'Placements'],
        {
          default: 'Manual',
        },
      ),
    ),
    placements: optional(
      listByKey('Placements whose clusters get the add-on.', ['namespace', 'name'], placementStrategy),
    ),
  },
  { default: { type: 'Manual' } },
);

/** A default configuration in use. */
export const defaultConfigReference = object('A default configuration in use.', {
  ...configGroupResource(),
  desiredConfig: desiredConfig(),
});

const installConfigReference = object('Rollout of one configuration.', {
  ...configGroupResource(),
  desiredConfig: desiredConfig(),
  lastKnownGoodConfig: lastKnownGoodConfig(),
  lastAppliedConfig: lastAppliedConfig(),
});

/** Progress of an installation by placement. */
export const installProgressions = listOf(
  'Progress by placement.',
  object('Progress on one placement.', {
    namespace: placementNamespace(),
    name: placementName(),
    configReferences: optional(listOf('Rollout of each configuration.', installConfigReference)),
    conditions: optional(conditions('State of the rollout.')),
  }),
);

/** How the clusters of one placement get the add-on. */
export type PlacementStrategy = Static<typeof placementStrategy>;
/** Which clusters get the add-on without being asked. */
export type InstallStrategy = Static<typeof installStrategy>;
/** Rollout of one configuration. */
export type InstallConfigReference = Static<typeof installConfigReference>;
/** Progress of an installation on one placement. */
export type InstallProgression = Static<typeof installProgressions>[number];
