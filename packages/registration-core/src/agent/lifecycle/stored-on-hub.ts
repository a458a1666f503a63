import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { createKubeClient, KubeError } from '@flotilla/kube';
import { backoffMs, watchClockSteps } from '@flotilla/kube/clock';
import { merge } from 'rxjs';
import type { HubEndpoint } from '../../contract/index.ts';
import { checkOwnCluster } from '../../kube-hub/index.ts';
import { checkStored } from '../credentials/check-stored.ts';
import { WakeSignal } from '../credentials/wake-signal.ts';
import { announcedEndpoint } from '../hub-endpoint/stored-endpoint.ts';
import { takenMessage } from '../join/ensure-managed-cluster.ts';
import type { AgentContext, PhaseScope } from './context.ts';

/** Whether the hub accepts the stored credentials. */
export type StoredOnHub =
  | { readonly kind: 'accepted'; readonly cluster: ManagedCluster }
  /** The hub refuses them or does not answer; that may change at any time. */
  | { readonly kind: 'refused'; readonly why: string }
  /** There are none for this hub, so it is not asked. */
  | { readonly kind: 'unusable'; readonly why: string };

const refused = (why: string): StoredOnHub => ({ kind: 'refused', why });

/**
 * Asks the hub at an endpoint with the stored credentials. The hub must also have a ManagedCluster for this cluster: credentials alone
 * are no reason to stop asking for one.
 */
export async function storedOnHub(
  context: AgentContext,
  endpoint: HubEndpoint,
  signal: AbortSignal,
): Promise<StoredOnHub> {
  const { driver, store, session, identity, description, clock, log } = context;
  const { clusterName } = identity;
  try {
    const stored = await store.read();
    const reason = checkStored(context, stored, endpoint);
    if (!stored || reason) return { kind: 'unusable', why: reason?.message ?? 'there are no credentials for the hub' };
    await using connection = closing(session.open(endpoint, stored));
    const hub = createKubeClient({ transport: connection.transport, clock, log });
    const check = () => driver.checkConnection?.(hub, signal) ?? checkOwnCluster(hub, clusterName, signal);
    let state = await check();
    const other = otherAddress(connection.server, endpoint, announcedEndpoint(driver, stored));
    if (!state.connected && state.reason === 'Unavailable' && other !== undefined && !signal.aborted) {
      connection.update({ ...endpoint, server: other }, stored);
      state = await check();
    }
    if (!state.connected) return refused(state.message);
    const cluster = await hub.resource(managedClusters).find(clusterName, { signal });
    if (!cluster) return refused(`the hub has no ManagedCluster ${clusterName}`);
    const taken = takenMessage(cluster, description);
    return taken === undefined ? { kind: 'accepted', cluster } : refused(taken);
  } catch (error) {
    return refused(KubeError.from(error).message);
  }
}

/** The address that is not in use, of a hub that has two. */
const otherAddress = (inUse: string, endpoint: HubEndpoint, announced: HubEndpoint | undefined): string | undefined =>
  [endpoint.server, announced?.server].find((server) => server !== undefined && server !== inUse);

const backoff = { baseMs: 5000, maxMs: 60_000 };
/** Timers beyond this overflow. */
const longestWaitMs = 24 * 3_600_000;

/**
 * Tries the stored credentials until the hub accepts them or the signal aborts, beside whatever asks for new ones: an outage of the hub's
 * authentication or authorization ends without an administrator. `onRefused` is called each time the hub does not accept them.
 */
export async function waitForStored(
  context: AgentContext,
  { endpoint, signal }: PhaseScope,
  onRefused: () => void,
): Promise<void> {
  const { clock, log, random, changes, storedChanges, send, report } = context;
  const wakeSignal = new WakeSignal(clock);
  const subscription = merge(changes, storedChanges).subscribe(wakeSignal.wake);
  // Credentials that had ended by a wrong clock are good again when it is set right.
  watchClockSteps(clock, signal, wakeSignal.wake);
  for (let failures = 1; !signal.aborted; failures += 1) {
    const result = await storedOnHub(context, endpoint, signal);
    if (signal.aborted) break;
    if (result.kind === 'accepted') {
      log.info('the hub accepts the stored credentials');
      report({ credentialsFailed: undefined });
      send({ type: 'credentialsUsable' });
      break;
    }
    log.debug('the stored credentials cannot be used', { why: result.why });
    onRefused();
    const waitMs = result.kind === 'unusable' ? longestWaitMs : backoffMs(backoff, failures, random());
    if (await wakeSignal.wait(waitMs, signal)) failures = 0;
  }
  subscription.unsubscribe();
}

const closing = <T extends { close(): Promise<void> }>(connection: T): T & AsyncDisposable => ({
  ...connection,
  [Symbol.asyncDispose]: () => connection.close(),
});
