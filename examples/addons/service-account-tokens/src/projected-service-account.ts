import type { ResourceType } from '@flotilla/kube';
import {
  conditions,
  defineKind,
  int32,
  object,
  optional,
  type Resource,
  rootOf,
  toCustomResourceDefinitions,
} from '@flotilla/schema/define';

const schema = rootOf('A service account of the managed cluster in whose namespace on the hub this is.', {
  spec: object('What the hub gets.', {
    validitySeconds: optional(int32('How long a token is good.', { minimum: 600, default: 3600 })),
  }),
  status: optional(
    object('What the hub has.', {
      conditions: optional(conditions('How it is.')),
    }),
  ),
});

/** A service account on a managed cluster, whose token the hub gets. */
export interface ProjectedServiceAccount extends Resource<typeof schema> {}

export const projectedServiceAccounts: ResourceType<ProjectedServiceAccount> = {
  group: 'example.com',
  version: 'v1',
  kind: 'ProjectedServiceAccount',
  plural: 'projectedserviceaccounts',
  namespaced: true,
};

/** What the hub must serve before the add-on runs. */
export const definitions = toCustomResourceDefinitions([
  defineKind({ resource: projectedServiceAccounts, schema, shortNames: ['psa'] }),
]);
