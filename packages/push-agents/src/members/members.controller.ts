import type { ManagedCluster } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  KubeError,
  type Logger,
  on,
} from '@flotilla/kube';
import { backoffMs, type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import type { Lease, Secret } from '@flotilla/kube/kinds';
import { isPushed, type MemberRecord, memberSecretKey, readMemberRecord } from '@flotilla/registration-core/push';
import { mergeMap, type Observable, tap } from 'rxjs';
import type { Member } from '../member/run-member.ts';
import { runsHere } from './members.policy.ts';
import { unreachable } from './members.status.ts';
import { forgetMember, wasPushed } from './release-member.ts';

/** What decides which members run here. */
export interface MembersOptions {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly secrets: CachedResource<Secret>;
  /** Of the heartbeats. */
  readonly leases: CachedResource<Lease>;
  readonly identity: string;
  readonly replicas: { readonly live$: Observable<readonly string[]> };
  readonly run: (member: Member, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** The agents that run in this process. */
export interface Members {
  readonly controller: Controller;
  /** How many run. */
  count(): number;
  /** Ends all. */
  close(): Promise<void>;
}

interface RunningMember {
  readonly id: string;
  readonly abort: AbortController;
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>;
}

const restart = { baseMs: 1000, maxMs: 60_000 };
/** A Secret that is written a moment later is no failure to report. */
const secretGraceMs = 2000;

/** Starts and stops the agents of pushed clusters, as they are accepted, deleted, and divided among replicas. */
export function createMembers(options: MembersOptions): Members {
  const { clusters, secrets, leases, identity, clock } = options;
  const running = new Map<string, RunningMember>();
  const missingSince = new Map<string, MonotonicTime>();
  let live: readonly string[] = [];
  const allClusters = clustersOnReplicas(options, (names) => {
    live = names;
  });

  const stop = async (name: string): Promise<void> => {
    const member = running.get(name);
    running.delete(name);
    member?.abort.abort();
    await member?.ended;
  };

  const controller = defineController({
    name: 'pushed-members',
    watches: [
      on(clusters),
      on(secrets, ({ metadata }) => metadata?.namespace),
      on(leases, (lease) => (wasPushed(lease) ? lease.metadata?.namespace : undefined)),
      on(allClusters),
    ],
    concurrency: 100,
    async reconcile(name, { signal }) {
      const cluster = clusters.get(name);
      if (!cluster || !runsHere(cluster, identity, live)) {
        missingSince.delete(name);
        await stop(name);
        if (cluster && !isPushed(cluster)) await forgetMember({ secrets, leases }, name);
        return done;
      }
      const record = recordOf(secrets.get(memberSecretKey(name)), name);
      if (record instanceof KubeError) {
        await stop(name);
        const since = missingSince.get(name) ?? clock.monotonic();
        missingSince.set(name, since);
        const leftMs = secretGraceMs - msBetween(since, clock.monotonic());
        if (leftMs > 0) return after(leftMs, 'its Secret may be written yet');
        const conditions = [unreachable(record)];
        await applyConditions(clusters, cluster, conditions, { clock, observedGeneration: false, signal });
        return done;
      }
      missingSince.delete(name);
      const id = JSON.stringify([record.hubServer, record.formerHubServers, record.hubCa]);
      if (running.get(name)?.id === id) return done;
      await stop(name);
      running.set(name, startMember(options, { clusterName: name, record }, id));
      return done;
    },
  });
  return {
    controller,
    count: () => running.size,
    async close() {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}

/** All clusters, whenever the replicas that divide them have changed. */
const clustersOnReplicas = (
  { replicas, clusters }: MembersOptions,
  onLive: (names: readonly string[]) => void,
): Observable<string> =>
  replicas.live$.pipe(
    tap(onLive),
    mergeMap(() => [...clusters.keys()]),
  );

function recordOf(secret: Secret | undefined, name: string): MemberRecord | KubeError {
  if (!secret) {
    const message = `the hub has no access to the cluster: there is no Secret ${memberSecretKey(name)}`;
    return new KubeError('Config', message, { hint: `flotilla join ${name} --push --cluster-kubeconfig FILE` });
  }
  try {
    return readMemberRecord(secret);
  } catch (error) {
    return KubeError.from(error);
  }
}

/** Runs a member, and again after a while if it fails: what is wrong with one is no reason to end the others. */
function startMember({ run, clock, log, random }: MembersOptions, member: Member, id: string): RunningMember {
  const abort = new AbortController();
  const { signal } = abort;
  const keepRunning = async (): Promise<void> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await run(member, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.error('the agent of a pushed cluster failed and starts again', { cluster: member.clusterName, error });
      }
      if (!signal.aborted) await clock.sleep(backoffMs(restart, failures, random()), signal).catch(() => undefined);
    }
  };
  return { id, abort, ended: keepRunning() };
}
