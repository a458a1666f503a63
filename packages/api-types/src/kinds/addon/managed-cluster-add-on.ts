import {
  conditionColumn,
  defineKind,
  int64,
  listOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { managedClusterAddOns } from '../../resources.ts';
import { addOnConfig, configGroupResource, desiredConfig, lastAppliedConfig } from './config-reference.ts';
import { commonStatus, organizationUnits, signerName, userAndGroups } from './managed-cluster-add-on-status.ts';

const spec = object('How the add-on is configured on this cluster.', {
  configs: optional(listOf('Configurations for this cluster; they win over defaults.', addOnConfig)),
});

const registration = object('How the agent gets its credentials for the hub.', {
  type: oneOf('kubeClient for the hub’s API server, customSigner for any other certificate.', [
    'kubeClient',
    'customSigner',
  ]),
  kubeClient: optional(
    object('Credentials for the hub’s API server.', {
      subject: optional(object('Identity of the agent.', userAndGroups())),
      driver: optional(oneOf('How the credential is made; chosen by the cluster.', ['csr', 'token'])),
    }),
  ),
  customSigner: optional(
    object('A certificate from another signer.', {
      signerName: signerName(),
      subject: optional(
        object('Identity in the certificate.', { ...userAndGroups(), organizationUnits: organizationUnits() }),
      ),
    }),
  ),
});

const configReference = object('State of one configuration.', {
  ...configGroupResource(),
  lastObservedGeneration: optional(int64('Generation of the configuration that was last acted on.')),
  desiredConfig: desiredConfig(),
  lastAppliedConfig: lastAppliedConfig(),
});

const status = object('State of the add-on on this cluster.', {
  ...commonStatus(),
  configReferences: optional(listOf('State of each configuration.', configReference)),
  registrations: optional(listOf('Credentials that the agent needs.', registration)),
});

const schema = rootOf('An add-on on the managed cluster whose namespace on the hub it is in.', {
  spec,
  status: optional(status),
});

/** How the add-on is configured on this cluster. */
export type ManagedClusterAddOnSpec = Static<typeof spec>;
/** State of the add-on on this cluster. */
export type ManagedClusterAddOnStatus = Static<typeof status>;
/** How the agent gets its credentials for the hub. */
export type AddOnRegistration = Static<typeof registration>;
/** State of one configuration. */
export type AddOnConfigReference = Static<typeof configReference>;
/** An add-on on the managed cluster whose namespace on the hub it is in. */
export interface ManagedClusterAddOn extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const managedClusterAddOnKind = defineKind({
  resource: managedClusterAddOns,
  schema,
  conversion: 'webhook',
  storage: false,
  shortNames: ['mca', 'mcas'],
  printerColumns: [
    conditionColumn('Available', 'Available'),
    conditionColumn('Degraded', 'Degraded'),
    conditionColumn('Progressing', 'Progressing'),
  ],
});
