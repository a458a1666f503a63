import { conditions, listByKey, listOf, object, oneOf, optional, text } from '@flotilla/schema/define';
import { addOnMeta, configGroupResource } from './config-reference.ts';

// What both versions of ManagedClusterAddOn report.

/** Name of the certificate signer of a custom registration. */
export const signerName = () =>
  text('Signer of the certificate requests, as domain/name.', {
    minLength: 5,
    maxLength: 571,
    pattern: '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$',
  });

/** User and groups of an add-on agent’s credential. */
export const userAndGroups = () => ({
  user: optional(text('User name of the agent on the hub.')),
  groups: optional(listOf('Groups of the agent on the hub.', text('Name of a group.'))),
});

/** Organization units of a certificate. */
export const organizationUnits = () =>
  optional(listOf('Organization units in the certificate.', text('Name of an organization unit.')));

/** The part of the status that both versions have. */
export const commonStatus = () => ({
  conditions: optional(conditions('State of the add-on on the cluster: available, progressing, degraded and more.')),
  addOnMeta: optional(addOnMeta),
  namespace: optional(text('Namespace on the managed cluster where the agent, its lease and credentials live.')),
  relatedObjects: optional(
    listOf(
      'Objects that matter to the add-on.',
      object('An object that matters to the add-on.', {
        group: text('API group of the object.'),
        resource: text('Plural name of the resource.'),
        namespace: optional(text('Namespace of the object.')),
        name: text('Name of the object.'),
      }),
    ),
  ),
  supportedConfigs: optional(
    listByKey(
      'Configuration kinds that the add-on takes.',
      ['group', 'resource'],
      object('A configuration kind.', configGroupResource()),
    ),
  ),
  healthCheck: optional(
    object('How the health of the add-on is known.', {
      mode: optional(
        oneOf(
          'Lease trusts a lease that the agent renews; Customized leaves it to the add-on.',
          ['Lease', 'Customized'],
          {
            default: 'Lease',
          },
        ),
      ),
    }),
  ),
});
