import { type Backoff, backoffMs } from '../clock/backoff.ts';
import { KubeError } from '../errors/kube-error.ts';
import {
  type Listing,
  type ReflectorSignal,
  type ReflectorState,
  slowCodes,
  type Waiting,
  type Watching,
} from './state.ts';

/** A watch that held this long proves that all is well, and earlier failures are forgotten. */
const healthyMs = 30_000;

/** A watch that the server ends sooner than this, with nothing new, is a failure: resuming at once would be a storm of requests. */
const shortestWatchMs = 1_000;

const normalBackoff: Backoff = { baseMs: 200, maxMs: 30_000 };
const slowBackoff: Backoff = { baseMs: 1_000, maxMs: 60_000 };

/** What a reflector does next. Pure: effects are the driver's. A signal that makes no sense in a state changes nothing. */
export function transition(state: ReflectorState, signal: ReflectorSignal): ReflectorState {
  switch (state.phase) {
    case 'listing':
      return whileListing(state, signal);
    case 'watching':
      return whileWatching(state, signal);
    case 'waiting':
      // New credentials may fix the failure.
      return signal.type === 'waited' || signal.type === 'accessChanged' ? state.next : state;
  }
}

/** How long to stay in `waiting`; `random` in [0, 1). */
export function waitMs(state: Waiting, random: number): number {
  const delay = backoffMs(state.pace === 'slow' ? slowBackoff : normalBackoff, state.failures, random);
  return Math.max(delay, state.lastError.retryAfterMs ?? 0);
}

function whileListing(state: Listing, signal: ReflectorSignal): ReflectorState {
  switch (signal.type) {
    case 'opened':
      return { ...state, monitored: signal.monitored };
    case 'listed':
      return {
        ...watchFrom(state, signal.resourceVersion),
        method: state.method === 'whole' ? 'pages' : state.method,
        lastError: undefined,
        silences: 0,
        ...(signal.live && { openedAt: signal.at, progressed: true }),
      };
    case 'closed':
    case 'silent':
      // The stream never said that the list is complete: the server ignores what it does not know.
      return { ...state, method: 'pages' };
    case 'failed':
      return listFailed(state, signal.error);
    default:
      return state;
  }
}

function listFailed(state: Listing, error: KubeError): ReflectorState {
  if (state.method === 'stream' && KubeError.is(error, 'Invalid', 'BadRequest')) return { ...state, method: 'pages' };
  // The pages took longer than the server keeps old versions; a second time would too.
  if (state.method === 'pages' && error.code === 'Expired') return { ...state, method: 'whole' };
  return waitFor({ ...state, method: state.method === 'whole' ? 'pages' : state.method }, error);
}

function whileWatching(state: Watching, signal: ReflectorSignal): ReflectorState {
  switch (signal.type) {
    case 'opened':
      return { ...state, openedAt: signal.at, monitored: signal.monitored, lastError: undefined };
    case 'progressed':
      return {
        ...state,
        resourceVersion: signal.resourceVersion,
        progressed: state.progressed || signal.resourceVersion !== state.resourceVersion,
        silences: 0,
      };
    case 'closed':
      if (!state.progressed && heldFor(state, signal.at) < shortestWatchMs) return waitFor(state, shortWatch());
      return { ...watchFrom(forgive(state, signal.at), state.resourceVersion), silences: 0 };
    case 'accessChanged':
      return watchFrom(state, state.resourceVersion);
    case 'silent':
      return watchSilent(state);
    case 'failed':
      return watchFailed(forgive(state, signal.at), signal.error);
    default:
      return state;
  }
}

/**
 * The first silence is taken for a dead connection. A second one, on a fresh connection, means that the server has nothing to
 * say to our resource version, for example because it was restored from a backup and has yet to reach that version again.
 */
function watchSilent(state: Watching): ReflectorState {
  const silences = state.silences + 1;
  return silences > 1 ? listAgain({ ...state, silences: 0 }) : { ...watchFrom(state, state.resourceVersion), silences };
}

function watchFailed(state: Watching, error: KubeError): ReflectorState {
  if (error.code === 'Expired' || isFromTheFuture(error)) {
    // Listing at once is right, also after a lost connection; several expiries in a row must not become a storm of lists.
    const next = listAgain(state);
    return state.failures <= 1 ? { ...next, failures: state.failures + 1 } : waitFor(next, error);
  }
  // The kind is gone: its objects went with it, and what comes back is not what we knew.
  const next = KubeError.is(error, 'NotFound', 'UnknownKind') ? listAgain(state) : state;
  return waitFor(next, error);
}

const isFromTheFuture = (error: KubeError): boolean =>
  error.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;

function waitFor(state: Listing | Watching, error: KubeError): Waiting {
  const known = { ...knownOf(state), failures: state.failures + 1, lastError: error };
  const next: Listing | Watching =
    state.phase === 'listing' ? { phase: 'listing', ...known } : watchFrom(known, state.resourceVersion);
  return { phase: 'waiting', ...known, pace: slowCodes.has(error.code) ? 'slow' : 'normal', next };
}

type Known = Pick<ReflectorState, 'method' | 'failures' | 'monitored' | 'silences' | 'lastError'>;

const knownOf = ({ method, failures, monitored, silences, lastError }: Known): Known => ({
  method,
  failures,
  monitored,
  silences,
  lastError,
});

const watchFrom = (known: Known, resourceVersion: string): Watching => ({
  phase: 'watching',
  ...knownOf(known),
  resourceVersion,
  progressed: false,
});

const listAgain = (known: Known): Listing => ({ phase: 'listing', ...knownOf(known) });

const heldFor = (state: Watching, at: number): number => (state.openedAt === undefined ? 0 : at - state.openedAt);

const forgive = (state: Watching, at: number): Watching =>
  heldFor(state, at) >= healthyMs ? { ...state, failures: 0 } : state;

const shortWatch = (): KubeError =>
  new KubeError('Unavailable', 'the server ended the watch at once, with nothing new', {
    hint: 'Something between here and the API server does not let a response last: check proxies and load balancers.',
  });
