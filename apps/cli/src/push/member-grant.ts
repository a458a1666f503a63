import { type MemberGrant, type MemberValues, memberAccount } from '@flotilla/install';
import { keyOf } from '@flotilla/kube';
import type { MemberRecord } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import type { Writes } from '../cluster/writes.ts';
import type { Progress } from '../output/progress.ts';
import { type ClusterPlace, claimsOf } from './pushed-cluster.ts';

/** The flags of `join --push` that say what the hub may do on the member. */
export interface GrantOptions extends ClusterPlace {
  readonly clusterName: string;
  readonly clusterNamespace?: string;
  /** ClusterRoles, or one of the words `none` and `default`. */
  readonly workRoles?: readonly string[];
  /** `ClusterProxy=true` lets users of the hub reach the member. */
  readonly featureGates?: Readonly<Record<string, string>>;
}

/** What an earlier `join` has stored and granted. */
interface Earlier {
  readonly hubServer: string;
  readonly record: MemberRecord | undefined;
  readonly grant: MemberGrant | undefined;
}

/** What the hub gets on the member: as the flags say, else as before. */
export function memberValues(options: GrantOptions, { hubServer, record, grant }: Earlier): MemberValues {
  const [before] = record?.serviceAccount?.split('/') ?? [];
  const { clusterName, clusterNamespace: namespace = before } = options;
  const workRoles = options.workRoles ? rolesOf(options.workRoles) : grant?.workRoles;
  const gate = options.featureGates?.ClusterProxy;
  const clusterProxy = gate === undefined ? grant?.clusterProxy : gate === 'true';
  return {
    clusterName,
    hubServer,
    ...(namespace && { namespace }),
    ...(workRoles && { workRoles }),
    ...(clusterProxy && { clusterProxy }),
    claims: claimsOf(options),
  };
}

const rolesOf = (names: readonly string[]): string[] | undefined =>
  names.includes('default') ? undefined : names.filter((name) => name !== 'none');

/** The objects of a member, and the removal of roles that the hub had and does not get any more. */
export function memberWrites(objects: readonly KubeObject[], grant: MemberGrant | undefined): Writes {
  const idOf = (object: KubeObject) => `${object.kind} ${keyOf(object)}`;
  const ids = new Set(objects.map(idOf));
  return { applied: objects, removed: (grant?.objects ?? []).filter((object) => !ids.has(idOf(object))) };
}

/** What the user has granted, so that it can be narrowed. */
export function reportGrant(progress: Progress, { workRoles, ...values }: MemberValues): void {
  const account = `ServiceAccount ${keyOf(memberAccount(values))}`;
  progress.done(
    workRoles
      ? `Works may use ${workRoles.length === 0 ? 'no ClusterRole' : `the ClusterRoles ${workRoles.join(', ')}`} of the member, by ${account}.`
      : `Works may contain what the ClusterRole admin allows, and namespaces, roles and definitions, by ${account}. Narrow it with --work-roles.`,
  );
}
