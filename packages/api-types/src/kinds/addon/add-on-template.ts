import { defineKind, listOf, object, oneOf, optional, type Resource, rootOf, text } from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { addOnTemplates } from '../../resources.ts';
import { manifestWorkSpec } from '../work/manifest-work-spec.ts';
import { organizationUnits, signerName, userAndGroups } from './managed-cluster-add-on-status.ts';

const hubPermission = object('A permission of the agent on the hub.', {
  type: oneOf('CurrentCluster in the cluster’s namespace, SingleNamespace in one namespace for all clusters.', [
    'CurrentCluster',
    'SingleNamespace',
  ]),
  currentCluster: optional(
    object('Settings of type CurrentCluster.', {
      clusterRoleName: text('ClusterRole that is bound in the cluster’s namespace.'),
    }),
  ),
  singleNamespace: optional(
    object('Settings of type SingleNamespace.', {
      namespace: text('Namespace of the binding.'),
      roleRef: object(
        'Role that is bound.',
        {
          apiGroup: text('API group of the role.'),
          kind: text('Role or ClusterRole.'),
          name: text('Name of the role.'),
        },
        { 'x-kubernetes-map-type': 'atomic' },
      ),
    }),
  ),
});

const registration = object('Credentials that the agent needs.', {
  type: oneOf('KubeClient for the hub’s API server, CustomSigner for any other certificate.', [
    'KubeClient',
    'CustomSigner',
  ]),
  kubeClient: optional(
    object('Credentials for the hub’s API server.', {
      hubPermissions: optional(listOf('Permissions of the agent on the hub.', hubPermission)),
    }),
  ),
  customSigner: optional(
    object('A certificate that the hub signs with a given CA.', {
      signerName: signerName(),
      subject: optional(
        object('Identity in the certificate.', { ...userAndGroups(), organizationUnit: organizationUnits() }),
      ),
      signingCA: object('Secret with the CA’s certificate and key.', {
        namespace: optional(text('Namespace of the secret.')),
        name: text('Name of the secret.'),
      }),
    }),
  ),
});

const spec = object('The add-on’s manifests and credentials.', {
  addonName: text('Name of the add-on.'),
  agentSpec: manifestWorkSpec('What to apply on each cluster that has the add-on.'),
  registration: optional(listOf('Credentials that the agent needs.', registration)),
});

const schema = rootOf('An add-on that needs no controller of its own: manifests, credentials and permissions.', {
  spec,
});

/** The add-on’s manifests and credentials. */
export type AddOnTemplateSpec = Static<typeof spec>;
/** Credentials that the agent needs. */
export type AddOnTemplateRegistration = Static<typeof registration>;
/** A permission of the agent on the hub. */
export type AddOnHubPermission = Static<typeof hubPermission>;
/** An add-on that needs no controller of its own: manifests, credentials and permissions. */
export interface AddOnTemplate extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const addOnTemplateKind = defineKind({
  resource: addOnTemplates,
  schema,
  subresources: 'empty',
  printerColumns: [{ name: 'ADDON NAME', type: 'string', jsonPath: '.spec.addonName' }],
});
