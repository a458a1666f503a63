import {
  type Clock,
  isAbsence,
  type KubeClient,
  KubeError,
  type Logger,
  realClock,
  silentLogger,
} from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import type { Awaitable } from '../definition/manifest.ts';

/** Whether the agent is well: returns or throws what is wrong. */
export type AgentCheck = (signal: AbortSignal) => Awaitable<string | undefined>;

/** Whose lease is renewed, and where. */
export interface LeaseOptions {
  readonly addonName: string;
  /** Where the agent runs: the hub looks there for the lease. */
  readonly namespace: string;
  /** The cluster in which the agent runs. */
  readonly local: Pick<KubeClient, 'resource'>;
  /** For clusters without the Lease API: the lease is then on the hub, in the namespace of the cluster. */
  readonly hub?: { readonly client: Pick<KubeClient, 'resource'>; readonly clusterName: string };
  /** All must pass, or the lease is left to expire. */
  readonly checks?: readonly AgentCheck[];
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
}

const leaseDurationSeconds = 60;
const periodMs = leaseDurationSeconds * 1000;
/** Agents that start together do not renew together. */
const jitter = 0.25;

/** Renews the lease of an add-on's agent while its checks pass, until the signal aborts. A failure is logged and tried again. */
export async function runLease(options: LeaseOptions): Promise<void> {
  const { signal, clock = realClock, log = silentLogger, random = Math.random } = options;
  while (!signal.aborted) {
    try {
      const problem = await firstProblem(options);
      if (problem === undefined) await renew(options, clock);
      else log.warn('the lease is not renewed', { problem });
    } catch (error) {
      if (!signal.aborted) log.warn('the lease cannot be renewed', { error });
    }
    await clock.sleep(periodMs * (1 + jitter * random()), signal).catch(() => {});
  }
}

async function firstProblem({ checks = [], signal }: LeaseOptions): Promise<string | undefined> {
  for (const check of checks) {
    try {
      const problem = await check(signal);
      if (problem !== undefined) return problem;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return undefined;
}

async function renew({ addonName, namespace, local, hub, signal }: LeaseOptions, clock: Clock): Promise<void> {
  try {
    await write(local, namespace, addonName, clock, signal);
  } catch (error) {
    const isUnserved = KubeError.is(error, 'NotFound', 'UnknownKind') && !isAbsence(error);
    if (!isUnserved || !hub) throw error;
    await write(hub.client, hub.clusterName, addonName, clock, signal);
  }
}

async function write(
  client: Pick<KubeClient, 'resource'>,
  namespace: string,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const handle = client.resource(leases);
  const renewTime = formatMicroTime(clock.now());
  const spec = { leaseDurationSeconds, renewTime };
  try {
    await handle.patch(`${namespace}/${name}`, { type: 'merge', body: { spec } }, { signal });
  } catch (error) {
    if (!isAbsence(error)) throw error;
    await handle.create({ metadata: { namespace, name }, spec }, { signal });
  }
}
