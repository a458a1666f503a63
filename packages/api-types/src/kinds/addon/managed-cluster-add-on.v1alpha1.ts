import { dnsLabelPattern } from '@flotilla/schema';
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
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { managedClusterAddOnsV1alpha1 } from '../../resources.ts';
import { addOnConfiguration } from './add-on-configuration.v1alpha1.ts';
import {
  addOnConfig,
  configGroupResource,
  configReferent,
  desiredConfig,
  lastAppliedConfig,
} from './config-reference.ts';
import { commonStatus, organizationUnits, signerName, userAndGroups } from './managed-cluster-add-on-status.ts';

const spec = object('How the add-on is installed and configured on this cluster.', {
  installNamespace: optional(
    text('Deprecated: use agentInstallNamespace of AddOnDeploymentConfig. Namespace of the agent on the cluster.', {
      default: 'open-cluster-management-agent-addon',
      maxLength: 63,
      pattern: dnsLabelPattern,
    }),
  ),
  configs: optional(listOf('Configurations for this cluster; they win over defaults.', addOnConfig)),
});

const registration = object('A certificate that the agent needs.', {
  signerName: signerName(),
  subject: optional(
    object('Identity in the certificate.', { ...userAndGroups(), organizationUnit: organizationUnits() }),
  ),
});

const configReference = object('State of one configuration.', {
  ...configGroupResource(),
  ...configReferent(),
  lastObservedGeneration: optional(int64('Generation of the configuration that was last acted on.')),
  desiredConfig: desiredConfig(),
  lastAppliedConfig: lastAppliedConfig(),
});

const status = object('State of the add-on on this cluster.', {
  ...commonStatus(),
  addOnConfiguration: optional(addOnConfiguration),
  configReferences: optional(listOf('State of each configuration.', configReference)),
  registrations: optional(listOf('Certificates that the agent needs.', registration)),
  kubeClientDriver: optional(
    oneOf('How the credential for the hub’s API server is made; chosen by the cluster.', ['csr', 'token']),
  ),
});

const schema = rootOf('An add-on on the managed cluster whose namespace on the hub it is in.', {
  spec,
  status: optional(status),
});

/** How the add-on is installed and configured on this cluster. */
export type ManagedClusterAddOnSpecV1alpha1 = Static<typeof spec>;
/** State of the add-on on this cluster. */
export type ManagedClusterAddOnStatusV1alpha1 = Static<typeof status>;
/** An add-on on the managed cluster whose namespace on the hub it is in, in the version that is stored. */
export interface ManagedClusterAddOnV1alpha1 extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const managedClusterAddOnV1alpha1Kind = defineKind({
  resource: managedClusterAddOnsV1alpha1,
  schema,
  conversion: 'webhook',
  shortNames: ['mca', 'mcas'],
  printerColumns: [
    conditionColumn('Available', 'Available'),
    conditionColumn('Degraded', 'Degraded'),
    conditionColumn('Progressing', 'Progressing'),
  ],
});
