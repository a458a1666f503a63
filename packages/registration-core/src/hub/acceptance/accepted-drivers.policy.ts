import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import type { ClusterRoleBinding, Namespace } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import { acceptedAuthAnnotation, declaredAuthType, type HubDriver, type PolicySubject } from '../../contract/index.ts';

/** A driver that clusters may register by. */
export type AcceptingDriver = Pick<HubDriver, 'accepts' | 'subjects' | 'clusterRules'> & { readonly authType: string };

/** What is known about a cluster besides itself. Its agent can write none of it. */
export interface RegistrationFacts {
  readonly drivers: readonly AcceptingDriver[];
  /** The namespace of the cluster, which holds the record. */
  readonly namespace: Namespace | undefined;
  /** The binding of the cluster's permissions. */
  readonly binding: ClusterRoleBinding | undefined;
  /** Whether an administrator accepts it now: it is new, or was denied. What is recorded of an earlier acceptance ends then. */
  readonly isNew: boolean;
}

/** By which drivers a cluster may register. */
export interface AcceptedDrivers {
  /** The permissions of the cluster are bound to the subjects of these. */
  readonly drivers: readonly AcceptingDriver[];
  /** What to record on the namespace; undefined while the cluster may still declare its auth type. */
  readonly record: string | undefined;
  /** The auth type that the cluster declares, where it was accepted by another. */
  readonly refused?: { readonly declared: string; readonly accepted: string };
  /**
   * The auth types of a cluster that a hub without records bound to several issuers. Only a new acceptance narrows them: any of these
   * issuers can write the declaration and the conditions of the cluster.
   */
  readonly several?: readonly string[] | undefined;
}

const includes = (subjects: readonly PolicySubject[], subject: PolicySubject): boolean =>
  subjects.some((other) => semanticEqual(other, subject));

/** The drivers all of whose subjects are among these. Such drivers share the agents of a cluster, as csr and grpc do. */
const boundBy = (name: string, drivers: readonly AcceptingDriver[], subjects: readonly PolicySubject[]) =>
  drivers.filter((driver) => driver.subjects(name).every((subject) => includes(subjects, subject)));

const recordOf = (drivers: readonly AcceptingDriver[]): string | undefined =>
  drivers.length === 0 ? undefined : [...new Set(drivers.map(({ authType }) => authType))].sort().join(',');

/** The auth types of drivers whose issuers are several: each of them can act as the cluster. Undefined if all have the same subjects. */
function severalOf(name: string, drivers: readonly AcceptingDriver[]): readonly string[] | undefined {
  const isOne = drivers.every((driver) => boundBy(name, drivers, driver.subjects(name)).length === drivers.length);
  return isOne ? undefined : drivers.map(({ authType }) => authType);
}

/**
 * Decides whose subjects get the permissions of a cluster: those of the drivers that it was accepted by. An administrator accepts what a
 * cluster declares, or, if it declares nothing, what it joins by. A later declaration has no effect, or the issuer of one auth type
 * could act as the clusters of all others.
 */
export function acceptedDrivers(cluster: ManagedCluster, facts: RegistrationFacts): AcceptedDrivers {
  const { drivers, namespace, binding, isNew } = facts;
  const name = cluster.metadata?.name ?? '';
  const claiming = drivers.filter((driver) => driver.accepts(cluster) !== 'not mine');
  const record = isNew ? undefined : namespace?.metadata?.annotations?.[acceptedAuthAnnotation];
  const recorded = drivers.filter(({ authType }) => record?.split(',').includes(authType));
  if (record && recorded.length > 0) {
    const bound = boundBy(
      name,
      drivers,
      recorded.flatMap((driver) => driver.subjects(name)),
    );
    const declared = declaredAuthType(cluster);
    const isRefused = declared !== undefined && claiming.length > 0 && !claiming.some((each) => bound.includes(each));
    if (isRefused) return { drivers: bound, record, refused: { declared, accepted: record } };
    return { drivers: bound, record, several: severalOf(name, bound) };
  }
  const hasJoined = isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.Joined);
  // It joined by one of those that it is bound to. A hub that kept no records bound all that it had then.
  if (!isNew && binding && hasJoined) {
    const bound = boundBy(name, drivers, binding.subjects ?? []);
    if (bound.length > 0) return { drivers: bound, record: recordOf(bound), several: severalOf(name, bound) };
  }
  return { drivers: claiming, record: declaredAuthType(cluster) === undefined ? undefined : recordOf(claiming) };
}
