import { defineKind, listByKey, listOf, object, optional, type Resource, rootOf } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { clusterManagementAddOnsV1alpha1 } from '../../resources.ts';
import { addOnConfiguration } from './add-on-configuration.v1alpha1.ts';
import { addOnMeta, configGroupResource, configReferent } from './config-reference.ts';
import { defaultConfigReference, installProgressions, installStrategy } from './install-strategy.ts';

const spec = object('How the add-on is configured and installed.', {
  addOnMeta: optional(addOnMeta),
  addOnConfiguration: optional(addOnConfiguration),
  supportedConfigs: optional(
    listByKey(
      'Configuration kinds that the add-on takes.',
      ['group', 'resource'],
      object('A configuration kind.', {
        ...configGroupResource(),
        defaultConfig: optional(object('The object to use when a cluster names none.', configReferent())),
      }),
    ),
  ),
  installStrategy: optional(installStrategy),
});

const status = object('Progress of installation and configuration.', {
  // Spelled in lower case on the wire of this version.
  defaultconfigReferences: optional(listOf('Default configurations in use.', defaultConfigReference)),
  installProgressions: optional(installProgressions),
});

const schema = rootOf('An add-on that the hub offers to its clusters.', { spec, status: optional(status) });

/** How the add-on is configured and installed. */
export type ClusterManagementAddOnSpecV1alpha1 = Static<typeof spec>;
/** Progress of installation and configuration. */
export type ClusterManagementAddOnStatusV1alpha1 = Static<typeof status>;
/** An add-on that the hub offers to its clusters, in the version that is stored. */
export interface ClusterManagementAddOnV1alpha1 extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const clusterManagementAddOnV1alpha1Kind = defineKind({
  resource: clusterManagementAddOnsV1alpha1,
  schema,
  conversion: 'webhook',
  shortNames: ['cma', 'cmas'],
  printerColumns: [
    { name: 'DISPLAY NAME', type: 'string', jsonPath: '.spec.addOnMeta.displayName' },
    { name: 'CRD NAME', type: 'string', jsonPath: '.spec.addOnConfiguration.crdName' },
  ],
});
