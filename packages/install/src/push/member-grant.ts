import { hubHashOf } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { type ClusterRole, clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import {
  hubLabelOf,
  type MemberValues,
  memberRoleName,
  pushedClusterLabel,
  pushingHubLabel,
} from './member-objects.ts';

/** What a hub may do on a member now. */
export interface MemberGrant extends Pick<MemberValues, 'workRoles' | 'clusterProxy'> {
  /** The roles and their bindings, the bindings first. */
  readonly objects: readonly KubeObject[];
}

/** Reads what an earlier `join` has granted; undefined if there was none. */
export async function readMemberGrant(
  client: KubeClient,
  values: Pick<MemberValues, 'clusterName' | 'hubServer'>,
): Promise<MemberGrant | undefined> {
  const hub = hubLabelOf(hubHashOf(values.hubServer));
  const list = { labelSelector: `${pushedClusterLabel}=${values.clusterName},${pushingHubLabel}=${hub}` };
  const found = await Promise.all(
    [clusterRoleBindings, clusterRoles].map(async (type) => {
      const { group, version, kind } = type;
      const { items } = await client.resource(type).list(list);
      return items.map((object): KubeObject => ({ ...object, apiVersion: `${group}/${version}`, kind }));
    }),
  );
  const [bindings = [], roles = []] = found;
  if (bindings.length === 0 && roles.length === 0) return undefined;
  const names = bindings.map(({ metadata }) => metadata?.name ?? '');
  const role = memberRoleName(values);
  const narrowed = `${role}:work:`;
  const workRoles = names.filter((name) => name.startsWith(narrowed)).map((name) => name.slice(narrowed.length));
  const base: ClusterRole | undefined = roles.find(({ metadata }) => metadata?.name === role);
  // Bindings may be missing after an interrupted join, or left from an earlier one. The last join wrote this role, with the
  // impersonation of executors exactly where it narrowed nothing.
  const isNarrowed = !base?.rules?.some(({ verbs }) => verbs.includes('impersonate'));
  return {
    ...(isNarrowed && { workRoles }),
    clusterProxy: names.includes(`${role}:cluster-proxy`),
    objects: [...bindings, ...roles],
  };
}
