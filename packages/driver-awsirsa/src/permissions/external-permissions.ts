import { isDeepStrictEqual } from 'node:util';
import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { type Clock, isConditionTrue, isDeleting, type KubeClient, KubeError } from '@flotilla/kube';
import type { ExternalPermissions, Progress } from '@flotilla/registration-core/contract';
import type { ClusterArn } from '../arn.ts';
import { AwsCallError } from '../aws-error.ts';
import { checkIdentity, type DeclaredIdentity, declaredIdentity } from '../cluster-identity.ts';
import { readAccepted, recordAccepted } from './accepted-identity.ts';
import { hasAccessEntry } from './access-entry.ts';
import { type ClusterRole, clusterRole } from './cluster-role.ts';
import { type AwsServices, ensurePermissions, removePermissions } from './permissions.ts';

/** What the permissions of clusters are made with. */
export interface ExternalPermissionsInput {
  readonly hub: ClusterArn;
  readonly tags: Readonly<Record<string, string>>;
  readonly services: AwsServices;
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** AWS cannot be watched: this often the role and the entry are compared with what they should be. */
const driftCheckMs = 30 * 60_000;
/** How long a new role takes until EKS sees it, in most cases. */
const visibilityMs = 3_000;
/** The controller that creates the namespace is at work at the same time. */
const namespaceMs = 1_000;

/** A role and an access entry for each accepted cluster. */
export function externalPermissions(input: ExternalPermissionsInput): ExternalPermissions {
  const { hub, tags, services, client } = input;
  const ensured = new EnsuredRoles(input);
  return {
    async create(cluster, signal) {
      const { name } = identityOf(cluster);
      const declared = declaredIdentity(cluster);
      const accepted = await readAccepted(client, name, signal);
      if (accepted.kind === 'no namespace') {
        return { kind: 'waiting', why: `namespace "${name}" does not exist yet`, checkAfterMs: namespaceMs };
      }
      const identity = accepted.kind === 'recorded' ? accepted.identity : declared;
      if (!identity) return { kind: 'done' };
      const checked = checkIdentity(hub, identity);
      if (typeof checked === 'string') return { kind: 'waiting', why: checked, checkAfterMs: driftCheckMs };
      const role = clusterRole(name, hub, checked.managed, checked.suffix, tags);
      if (accepted.kind === 'none' && isJoined(cluster) && !(await hasAccessEntry(services.eks, role, signal))) {
        return { kind: 'waiting', why: neverAccepted(name, identity), checkAfterMs: driftCheckMs };
      }
      // Recorded ahead of the first call, so that whatever happens then is removed with the cluster.
      if (accepted.kind !== 'recorded') await recordAccepted(client, name, identity, signal);
      const progress = await ensured.ensure(cluster, role, signal);
      if (progress.kind === 'waiting' || isDeepStrictEqual(identity, declared)) return progress;
      return { kind: 'waiting', why: changedSince(name, identity), checkAfterMs: driftCheckMs };
    },
    async remove(cluster, signal) {
      const { name, uid } = identityOf(cluster);
      const accepted = await readAccepted(client, name, signal);
      const identity = accepted.kind === 'recorded' ? accepted.identity : declaredIdentity(cluster);
      const checked = identity && checkIdentity(hub, identity);
      if (checked && typeof checked !== 'string') {
        await removePermissions(services, clusterRole(name, hub, checked.managed, checked.suffix, tags), signal);
      }
      if (accepted.kind === 'recorded') {
        await recordAccepted(client, name, isDeleting(cluster) ? undefined : 'released', signal);
      }
      ensured.forget(uid);
      return { kind: 'done' };
    },
  };
}

/** Saves calls to AWS when only the status of a cluster changes. */
class EnsuredRoles {
  readonly #services: AwsServices;
  readonly #clock: Clock;
  /** What AWS holds as far as this process knows, by uid of the cluster. */
  readonly #ensured = new Map<string, EnsuredRole>();

  constructor({ services, clock }: ExternalPermissionsInput) {
    this.#services = services;
    this.#clock = clock;
  }

  async ensure(cluster: ManagedCluster, role: ClusterRole, signal: AbortSignal): Promise<Progress> {
    const { uid } = identityOf(cluster);
    const isAvailable = isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.Available);
    const last = this.#ensured.get(uid);
    const age = last ? this.#clock.monotonic() - last.at : Number.POSITIVE_INFINITY;
    // A cluster that no longer reports may have lost its role or its entry.
    const isLost = last?.isAvailable && !isAvailable;
    if (last && !isLost && age < driftCheckMs && isDeepStrictEqual(last.role, role)) {
      this.#ensured.set(uid, { ...last, isAvailable });
      return { kind: 'done', checkAfterMs: driftCheckMs - age };
    }
    try {
      await ensurePermissions(this.#services, role, signal);
    } catch (error) {
      if (error instanceof AwsCallError && error.explanation.reason === 'NotVisibleYet') {
        return { kind: 'waiting', why: error.message, checkAfterMs: visibilityMs };
      }
      throw error;
    }
    this.#ensured.set(uid, { role, isAvailable, at: this.#clock.monotonic() });
    return { kind: 'done', checkAfterMs: driftCheckMs };
  }

  forget(uid: string): void {
    this.#ensured.delete(uid);
  }
}

interface EnsuredRole {
  readonly role: ClusterRole;
  readonly isAvailable: boolean;
  readonly at: number;
}

/** A cluster with credentials may write annotations; one that was accepted with them has none yet. */
const isJoined = ({ status }: ManagedCluster): boolean =>
  isConditionTrue(status?.conditions, ManagedClusterCondition.Joined);

const neverAccepted = (name: string, { arn }: DeclaredIdentity): string =>
  `ManagedCluster "${name}" joined in another way and declares ${arn} since, which no administrator accepted. ` +
  'To let it register by its role, delete the ManagedCluster and let it join again.';

const changedSince = (name: string, { arn }: DeclaredIdentity): string =>
  `ManagedCluster "${name}" was accepted as ${arn} and now declares another ARN or role suffix, which has no effect. ` +
  'To accept what it declares now, set spec.hubAcceptsClient to false and to true again.';

function identityOf({ metadata }: ManagedCluster): { readonly name: string; readonly uid: string } {
  const { name, uid } = metadata ?? {};
  if (!name || !uid) throw new KubeError('BadRequest', 'a ManagedCluster without name or uid');
  return { name, uid };
}
