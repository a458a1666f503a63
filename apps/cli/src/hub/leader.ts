import { LeaderElectionComponent, LeaseName, NamespaceName } from '@flotilla/api-types';
import type { Observation } from '@flotilla/install';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';

const component = LeaderElectionComponent.RegistrationController;
const key = `${NamespaceName.Hub}/${LeaseName.LeaderElection.of({ component })}`;

/** Who leads the controllers of a hub. The lease of one that was killed counts until it has run out. */
export async function findLeader(client: KubeClient, clock: Clock): Promise<Observation<string>> {
  const { renewTime, leaseDurationSeconds = 0, holderIdentity } = (await client.resource(leases).find(key))?.spec ?? {};
  if (!holderIdentity || renewTime === undefined) return { pending: 'no process leads them' };
  const ageMs = clock.now() - Date.parse(String(renewTime));
  if (ageMs <= leaseDurationSeconds * 1000) return { found: holderIdentity };
  return { pending: `the last leader was seen ${Math.round(ageMs / 1000)} s ago` };
}

/** How much of its duration a lease may be old: leaders renew it five times in that time. */
const freshShare = 0.4;

/**
 * Why nothing happens on a hub whose controllers do not run, since when; undefined if they run, or if nothing is known: those of
 * `flotilla up` need no lease. It gives times and not ages, so that it stays the same while one waits.
 */
export async function whyNoLeader(client: KubeClient, clock: Clock): Promise<string | undefined> {
  const { renewTime, leaseDurationSeconds = 0, holderIdentity } = await readLease(client);
  if (renewTime === undefined) return undefined;
  const since = Date.parse(renewTime);
  const ageMs = clock.now() - since;
  const durationMs = leaseDurationSeconds * 1000;
  const at = secondsOf(since);
  if (!holderIdentity) return `no process leads the controllers of the hub since ${at}`;
  if (ageMs > durationMs) {
    return `no process leads the controllers of the hub: the last one, ${holderIdentity}, renewed its lease at ${at}`;
  }
  if (ageMs <= durationMs * freshShare) return undefined;
  return `the leader of the controllers of the hub, ${holderIdentity}, has not renewed its lease since ${at}; if it was killed, another one leads from ${secondsOf(since + durationMs)} on`;
}

const betweenReadsMs = 5000;

/** The same for a loop that checks often: the lease is read every few seconds. */
export function watchLeader(client: KubeClient, clock: Clock): () => Promise<string | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let noLeader: string | undefined;
  return async () => {
    if (clock.monotonic() - readAt < betweenReadsMs) return noLeader;
    readAt = clock.monotonic();
    noLeader = await whyNoLeader(client, clock);
    return noLeader;
  };
}

const secondsOf = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

async function readLease(client: KubeClient) {
  try {
    return (await client.resource(leases).find(key))?.spec ?? {};
  } catch (error) {
    // Not every administrator of clusters may read leases.
    if (KubeError.is(error, 'Forbidden')) return {};
    throw error;
  }
}
