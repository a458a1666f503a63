import { defineKind, listByKey, listOf, object, optional, type Resource, rootOf } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { clusterManagementAddOns } from '../../resources.ts';
import { addOnMeta, configGroupResource, configReferent } from './config-reference.ts';
import { defaultConfigReference, installProgressions, installStrategy } from './install-strategy.ts';

const spec = object('How the add-on is configured and installed.', {
  addOnMeta: optional(addOnMeta),
  defaultConfigs: optional(
    listByKey(
      'Configuration kinds that the add-on takes, with a default object for each.',
      ['group', 'resource'],
      object('A configuration kind and its default object.', { ...configGroupResource(), ...configReferent() }),
    ),
  ),
  installStrategy: optional(installStrategy),
});

const status = object('Progress of installation and configuration.', {
  defaultConfigReferences: optional(listOf('Default configurations in use.', defaultConfigReference)),
  installProgressions: optional(installProgressions),
});

const schema = rootOf('An add-on that the hub offers to its clusters.', { spec, status: optional(status) });

/** How the add-on is configured and installed. */
export type ClusterManagementAddOnSpec = Static<typeof spec>;
/** Progress of installation and configuration. */
export type ClusterManagementAddOnStatus = Static<typeof status>;
/** An add-on that the hub offers to its clusters. */
export interface ClusterManagementAddOn extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const clusterManagementAddOnKind = defineKind({
  resource: clusterManagementAddOns,
  schema,
  conversion: 'webhook',
  storage: false,
  shortNames: ['cma', 'cmas'],
  printerColumns: [{ name: 'DISPLAY NAME', type: 'string', jsonPath: '.spec.addOnMeta.displayName' }],
});
