import { klusterlets, NamespaceName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, roleBindings, roles, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { agentDefinitions } from '../agent/definitions.ts';
import { listAppliedWorks, orphanWorks } from '../agent/orphan-works.ts';
import { namespace } from '../objects/namespace.ts';
import { isOwnedBy } from '../ownership.ts';
import type { Removal } from '../remove/removal.ts';
import { removeObject, removeObjects } from '../remove/remove-objects.ts';
import { hubLabelOf, memberNamespace, pushedClusterLabel, pushingHubLabel } from './member-objects.ts';

const clusterClaimType: ResourceType = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1alpha1',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  namespaced: false,
};

/** In the order of removal: the hub loses its rights before its account. */
const kinds: readonly ResourceType[] = [
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccounts,
  clusterClaimType,
];

/** Which membership of a member ends. */
export interface PushMembership {
  readonly clusterName: string;
  /** Where the service account is. Default: as `join` chooses it. */
  readonly namespace?: string;
  /** The hash of the hub: only its records of works are touched. Absent if the hub is not known. */
  readonly hubHash?: string;
}

/** Removes what let a hub reach this member, found by its labels, and nothing that something else created. */
export async function removeMember(removal: Removal, membership: PushMembership): Promise<void> {
  const { client, owner } = removal;
  for (const type of kinds) {
    for (const object of await ownObjects(client, type, membership)) {
      if (isOwnedBy(owner, object)) await removeObject(removal, client.resource(type), { ...object, kind: type.kind });
    }
  }
  if (removal.force && membership.hubHash !== undefined) await orphanOwnWorks(removal, membership.hubHash);
  if (await isInUse(client, membership)) return;
  const places = [membership.namespace ?? memberNamespace, NamespaceName.AgentAddOn].map(namespace);
  await removeObjects(removal, [places, await agentDefinitions()]);
}

/** The objects on a member that join made for a cluster, in the order of removal. */
export async function memberObjectsOf(client: KubeClient, membership: PushMembership): Promise<KubeObject[]> {
  const found = await Promise.all(
    kinds.map(async (type) => {
      const { group, version, kind } = type;
      const apiVersion = group ? `${group}/${version}` : version;
      return (await ownObjects(client, type, membership)).map(
        (object): KubeObject => ({ ...object, apiVersion, kind }),
      );
    }),
  );
  return found.flat();
}

async function ownObjects(
  client: KubeClient,
  type: ResourceType,
  { clusterName, hubHash }: PushMembership,
): Promise<readonly KubeObject[]> {
  const ofHub = hubHash === undefined ? '' : `,${pushingHubLabel}=${hubLabelOf(hubHash)}`;
  return listed(client, type, { labelSelector: `${pushedClusterLabel}=${clusterName}${ofHub}` });
}

/** What works applied stays, and is listed: their hub does not remove it any more. */
async function orphanOwnWorks(removal: Removal, hubHash: string): Promise<void> {
  await orphanWorks(removal, ({ spec }) => spec?.hubHash === hubHash);
}

/** Whether another hub, or an agent, needs the definitions and the namespace. */
async function isInUse(client: KubeClient, membership: PushMembership): Promise<boolean> {
  const accounts = await listed(client, serviceAccounts, { labelSelector: pushedClusterLabel });
  const own = await ownObjects(client, serviceAccounts, membership);
  if (accounts.length > own.length) return true;
  if ((await listed(client, klusterlets)).length > 0) return true;
  return (await listAppliedWorks(client, () => true)).length > 0;
}

async function listed(
  client: KubeClient,
  type: ResourceType,
  options: { readonly labelSelector?: string } = {},
): Promise<readonly KubeObject[]> {
  try {
    return (await client.resource(type).list(options)).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}
