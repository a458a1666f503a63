import { type MemberValues, memberAccount } from '@flotilla/install';
import { keyOf } from '@flotilla/kube';
import type { MemberRecord } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import type { Writes } from '../cluster/writes.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Progress } from '../output/progress.ts';
import type { EarlierGrant } from './earlier-grant.ts';
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
interface Earlier extends Pick<EarlierGrant, 'grant' | 'claims'> {
  readonly hubServer: string;
  readonly record: MemberRecord | undefined;
}

/** What the hub gets on the member: as the flags say, else as before. */
export function memberValues(options: GrantOptions, { hubServer, record, grant, claims }: Earlier): MemberValues {
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
    claims: { ...claims, ...claimsOf(options) },
  };
}

/** The roles that `--work-roles` names; undefined for what OCM grants. */
function rolesOf(names: readonly string[]): readonly string[] | undefined {
  const word = names.find((name) => name === 'default' || name === 'none');
  if (word === undefined) return names;
  if (names.length === 1) return word === 'none' ? [] : undefined;
  throw new CliError(
    'usage',
    `--work-roles ${names.join(',')} has the word ${word} beside other names`,
    `Give ${word} alone, or the names of ClusterRoles without it.`,
  );
}

/** The writes of a join on a member. */
export interface MemberWrites {
  /** The objects of a member, and the removal of roles that the hub had and does not get any more. */
  readonly first: Writes;
  /** The removal of the objects under an earlier address: until the hub has stored the new token, the stored one needs them. */
  readonly last: Writes;
}

/** The writes that lead from an earlier grant to these objects. */
export function memberWrites(objects: readonly KubeObject[], { granted, former }: EarlierGrant): MemberWrites {
  const idOf = (object: KubeObject) => `${object.kind} ${keyOf(object)}`;
  const ids = new Set(objects.map(idOf));
  const others = (found: readonly KubeObject[]) => found.filter((object) => !ids.has(idOf(object)));
  return { first: { applied: objects, removed: others(granted) }, last: { applied: [], removed: others(former) } };
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
