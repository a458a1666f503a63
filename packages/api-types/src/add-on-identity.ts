import type { ManagedClusterAddOn } from './kinds/types.ts';
import { AddOnRegistrationDriverName, GroupName, UserName } from './names/index.ts';

/** Who an add-on is on the hub. */
export interface AddOnIdentity {
  readonly user: string;
  /** Without `system:authenticated`, which every user is in. */
  readonly groups: readonly string[];
}

/** What an add-on registered for the API of the hub: an identity, or why what it registered is not one of its own. */
export type RegisteredIdentity = { readonly identity: AddOnIdentity } | { readonly refused: string };

/**
 * The name of an agent in its user. The users of many clusters share a ClusterRole, which a name without end would fill; each add-on
 * has one, and agents cannot create add-ons.
 */
const agentName = /^[!-9;-~]{1,253}$/;

/** A value in a message, which has an end whatever was registered. */
const shown = (value: string): string => JSON.stringify(value.length > 300 ? `${value.slice(0, 300)}…` : value);

/**
 * The user and groups that an add-on registered for the API of the hub, with OCM's names where it names none. Undefined if it registers
 * no access. Whoever may write the status of add-ons, as the agent of a cluster may, cannot name another user: a user is one of this
 * add-on on this cluster, a group one of this add-on.
 */
export function registeredIdentity({
  metadata,
  status,
}: Pick<ManagedClusterAddOn, 'metadata' | 'status'>): RegisteredIdentity | undefined {
  const names = { cluster: metadata?.namespace ?? '', addOn: metadata?.name ?? '' };
  const registrations = status?.registrations ?? [];
  const index = registrations.findIndex(({ type, kubeClient }) => type === 'kubeClient' && kubeClient);
  const { driver, subject } = registrations[index]?.kubeClient ?? {};
  if (index === -1) return undefined;
  const field = `status.registrations[${index}].kubeClient`;
  if (driver === AddOnRegistrationDriverName.Token) return { refused: `${field}.driver is token` };
  const user = subject?.user || UserName.AddOnAgent.of({ ...names, agent: names.addOn });
  const ownUser = `${GroupName.ClusterAddOn.of(names)}:agent:`;
  if (!user.startsWith(ownUser) || !agentName.test(user.slice(ownUser.length))) {
    const form = `${ownUser}<agent>, with 1 to 253 printable ASCII characters other than ":" for <agent>`;
    return { refused: `${field}.subject.user is ${shown(user)}; it must be ${form}` };
  }
  const groups = subject?.groups?.length ? subject.groups : [GroupName.ClusterAddOn.of(names)];
  const ownGroups: readonly string[] = [GroupName.ClusterAddOn.of(names), GroupName.AddOn.of(names)];
  const others = groups.filter((group) => !ownGroups.includes(group) && group !== GroupName.Authenticated);
  if (others.length > 0) {
    const allowed = ownGroups.join(' or ');
    return { refused: `${field}.subject.groups has ${shown(others[0] ?? '')}; it may have ${allowed}` };
  }
  return { identity: { user, groups: [...new Set(groups)].filter((group) => group !== GroupName.Authenticated) } };
}
