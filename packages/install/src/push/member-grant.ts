import { hubHashOf } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
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
  const names = bindings.map(({ metadata }) => metadata?.name ?? '');
  const role = memberRoleName(values);
  if (!names.includes(role)) return undefined;
  const narrowed = `${role}:work:`;
  const workRoles = names.filter((name) => name.startsWith(narrowed)).map((name) => name.slice(narrowed.length));
  // With both, the narrower one was meant: the other is older, or was not asked for.
  const isNarrowed = workRoles.length > 0 || !names.some((name) => name.startsWith(`${role}-work:`));
  return {
    ...(isNarrowed && { workRoles }),
    clusterProxy: names.includes(`${role}:cluster-proxy`),
    objects: [...bindings, ...roles],
  };
}
