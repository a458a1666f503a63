import { KubeError } from '@flotilla/kube';
import { type BootstrapSource, type HubEndpoint, isDenied, type StoredCredentials } from '../../contract/index.ts';
import { checkStored, type UnusableCredentials } from '../credentials/check-stored.ts';
import { compareEndpoints } from '../hub-endpoint/compare-endpoints.ts';
import { locateHub } from '../hub-endpoint/locate-hub.ts';
import { announcedEndpoint, storedEndpoint } from '../hub-endpoint/stored-endpoint.ts';
import { chooseHub } from '../hubs/hub-choice.ts';
import type { AgentEvent, AgentState } from '../state/state.ts';
import { releaseNamespaces } from '../status/managed-namespaces.ts';
import { runBootstrapping } from './bootstrapping.ts';
import { runConnected } from './connected.ts';
import type { AgentContext } from './context.ts';
import { retryUntilDone } from './retry.ts';
import { storedOnHub } from './stored-on-hub.ts';

/** The hub that an agent is with, or would join. Kept over its phases. */
export interface ChosenHub {
  bootstrap: BootstrapSource;
  /** It is not known yet whether the bootstrap source is that of the hub of the stored credentials. */
  isGuess: boolean;
  /** Why none of several hubs can be joined. */
  whyNone: string | undefined;
}

/** Does what one state asks for, until the state is left. */
export async function runPhase(
  context: AgentContext,
  hub: ChosenHub,
  state: AgentState,
  signal: AbortSignal,
): Promise<void> {
  const { driver, store, send } = context;
  const stored = await store.read();
  if (state.phase === 'starting' && context.gates.MultipleHubs) {
    await choose(context, hub, { stored, avoid: state.left?.server, signal });
  }
  const { bootstrap } = hub;
  const endpoint = await locateHub(driver, bootstrap, stored);
  using _watch = watchBootstrap(context, hub, endpoint, signal);
  // Returned only after an await, because the watch ends with this function.
  if (state.phase !== 'starting') await leaveEarlierHub(context, stored, endpoint, signal);
  const scope = { bootstrap, endpoint, signal };
  if (state.phase === 'bootstrapping') return await runBootstrapping(context, scope, state);
  const unusable = checkStored(context, stored, endpoint);
  if (unusable) send(unusableEvent(state, hub, unusable));
  else if (state.phase === 'starting') send({ type: 'credentialsUsable' });
  else await runConnected(context, scope, stored ?? {});
}

/** Chooses one of several hubs. */
async function choose(
  context: AgentContext,
  hub: ChosenHub,
  { stored, avoid, signal }: { stored: StoredCredentials | undefined; avoid: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { driver, authType, identity, clock, log } = context;
  const { clusterName } = identity;
  const acceptsStored = async (endpoint: HubEndpoint): Promise<boolean> => {
    const result = await storedOnHub(context, endpoint, signal);
    return result.kind === 'accepted' && !isDenied(result.cluster);
  };
  const isStoredFor = (endpoint: HubEndpoint) => checkStored({ driver, authType }, stored, endpoint) === undefined;
  const current = storedEndpoint(driver, stored);
  try {
    const choice = await chooseHub({
      driver,
      current,
      isStoredFor,
      acceptsStored,
      avoid,
      clusterName,
      clock,
      log,
      signal,
    });
    hub.bootstrap = choice.source;
    hub.isGuess = choice.isGuess;
    hub.whyNone = undefined;
  } catch (error) {
    hub.whyNone = KubeError.from(error).message;
    throw error;
  }
}

/** Releases what the earlier hub managed while its credentials are still stored, so that a restart in between loses nothing. */
async function leaveEarlierHub(
  { driver, spoke, log }: AgentContext,
  stored: StoredCredentials | undefined,
  { server }: HubEndpoint,
  signal: AbortSignal,
): Promise<void> {
  const earlier = storedEndpoint(driver, stored)?.server;
  if (earlier === undefined || earlier === server) return;
  await releaseNamespaces(spoke, earlier, signal).catch((error: unknown) => {
    log.warn('cannot release the namespaces that the earlier hub managed', { hub: earlier, error });
  });
}

/** Reports to the agent when the bootstrap source leads elsewhere, or has new credentials for the same hub. */
function watchBootstrap(context: AgentContext, hub: ChosenHub, endpoint: HubEndpoint, signal: AbortSignal): Disposable {
  const { driver, store, send, changes } = context;
  const { bootstrap } = hub;
  const compare = async (): Promise<void> => {
    const next = await currentEndpoint(context, bootstrap);
    if (!next) return;
    const message = compareEndpoints(endpoint, next);
    if (message === undefined) {
      hub.isGuess = false;
      return send({ type: 'rejoinRequested' });
    }
    const stored = await store.read();
    if (signal.aborted) return;
    const isKnownAs = (known: HubEndpoint | undefined) =>
      known !== undefined && compareEndpoints(known, next) === undefined;
    // What the hub announced beforehand is stored, so it is expected.
    if (isKnownAs(announcedEndpoint(driver, stored))) send({ type: 'endpointChanged', message });
    else if (!isKnownAs(storedEndpoint(driver, stored))) send(changedEvent(hub, message));
  };
  let end = new AbortController();
  const subscription = bootstrap.changes.subscribe(() => {
    // The newest change replaces attempts for earlier ones.
    end.abort();
    end = new AbortController();
    const retry = { ...context, changes, signal: AbortSignal.any([signal, end.signal]) };
    void retryUntilDone('compare the bootstrap access with the stored credentials', retry, compare);
  });
  return {
    [Symbol.dispose]() {
      subscription.unsubscribe();
      end.abort();
    },
  };
}

/** Where the bootstrap source leads; undefined if it cannot be read, which only its next change can end. */
async function currentEndpoint({ log }: AgentContext, bootstrap: BootstrapSource): Promise<HubEndpoint | undefined> {
  try {
    return (await bootstrap.current()).endpoint;
  } catch (error) {
    if (!KubeError.is(error, 'Config')) throw error;
    log.warn('cannot read the bootstrap access to the hub, and goes on with the stored credentials', { error });
    return undefined;
  }
}

/** A source that leads elsewhere now that it can be read may never have been that of the hub: the hubs are ranked again. */
const changedEvent = ({ isGuess }: ChosenHub, message: string): AgentEvent => ({
  type: isGuess ? 'choiceOutdated' : 'bootstrapChanged',
  message,
});

/** At start-up it is reported; later it is an event. */
const unusableEvent = (state: AgentState, hub: ChosenHub, { reason, message }: UnusableCredentials): AgentEvent => {
  if (state.phase === 'starting') return { type: 'credentialsUnusable', reason, message };
  if (reason === 'BootstrapChanged') return changedEvent(hub, message);
  return reason === 'NoCredentials' ? { type: 'secretDeleted' } : { type: 'expired', message };
};
