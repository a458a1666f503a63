import { createInformers, runControllers } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { BehaviorSubject, distinctUntilChanged, filter, firstValueFrom, merge, type Observable, Subject } from 'rxjs';
import { exportController } from '../credentials/export.controller.ts';
import { joinRecordKey } from '../state/secret-entries.ts';
import { type AgentEvent, type AgentState, initialState, leavesHub, transition } from '../state/state.ts';
import { type AgentInput, type AgentSetup, setUpAgent } from './agent-input.ts';
import type { AgentContext } from './context.ts';
import { type AgentHealth, type HealthFacts, healthOf } from './health.ts';
import type { JoinedHub } from './hub-session.ts';
import { prepareContext } from './prepare.ts';
import { type RetryOptions, retryUntilDone } from './retry.ts';
import { type ChosenHub, runPhase } from './run-phase.ts';

/** A registration agent. */
export interface Agent {
  /** Runs until the signal aborts; throws only if its options cannot work. */
  run(signal: AbortSignal): Promise<void>;
  readonly state$: Observable<AgentState>;
  /** The hub from the first usable credentials until it is left; undefined before and after. */
  readonly hub$: Observable<JoinedHub | undefined>;
  /** For the health endpoint: not ready if the agent cannot work any more without help. */
  health(): AgentHealth;
}

/** What changes while an agent runs. */
interface Running {
  readonly state$: BehaviorSubject<AgentState>;
  readonly hub$: BehaviorSubject<JoinedHub | undefined>;
  /** Emits when what a failed attempt waits for may have changed. */
  readonly changes: Subject<void>;
  /** Emits when the Secret of the agent changes. */
  readonly storedChanges: Subject<void>;
  readonly send: (event: AgentEvent) => void;
  /** Set when the driver is made. */
  chosenHub: ChosenHub | undefined;
  facts: HealthFacts;
}

/** A cache that cannot be filled is waited for, and never a reason to end. */
const syncTimeoutMs = Number.POSITIVE_INFINITY;

/** An agent that joins its cluster to a hub, and keeps it joined whatever happens to credentials, hub and secrets. */
export function createAgent(input: AgentInput): Agent {
  const setup = setUpAgent(input);
  const running: Running = {
    state$: new BehaviorSubject<AgentState>(initialState),
    hub$: new BehaviorSubject<JoinedHub | undefined>(undefined),
    changes: new Subject(),
    storedChanges: new Subject(),
    send(event) {
      const state = running.state$.value;
      const next = transition(state, event);
      if (next === state) return;
      const { phase, ...details } = next;
      setup.log.info(`the agent is ${phase}`, { ...details, event: event.type });
      running.state$.next(next);
    },
    chosenHub: undefined,
    facts: {},
  };
  return {
    state$: running.state$.asObservable(),
    hub$: running.hub$.pipe(distinctUntilChanged()),
    health: () => healthOf(running.state$.value, { ...running.facts, whyNoHub: running.chosenHub?.whyNone }),
    run: (signal) => runAgent(setup, running, signal),
  };
}

async function runAgent(setup: AgentSetup, running: Running, signal: AbortSignal): Promise<void> {
  const { state$, changes, send } = running;
  const { clock, log, random, store } = setup;
  const retry: RetryOptions = { changes, clock, log, random, signal };
  const onAbort = () => send({ type: 'stop' });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => signal.removeEventListener('abort', onAbort));
  const stored = await retryUntilDone('read the stored credentials', retry, () => store.read());
  if (signal.aborted) return;
  const context = await prepareContext(setup, {
    stored,
    retry,
    send,
    onHub: (hub) => running.hub$.next(hub),
    report(facts) {
      running.facts = { ...running.facts, ...facts };
    },
    storedChanges: running.storedChanges,
  });
  cleanup.defer(() => context.driver.close?.());
  const subscription = merge(...context.driver.bootstraps.map((source) => source.changes)).subscribe(() =>
    changes.next(),
  );
  cleanup.defer(() => subscription.unsubscribe());
  const exporting = followSecret(setup, running, signal);
  const hub: ChosenHub = { bootstrap: context.driver.bootstraps[0], isGuess: false, whyNone: undefined };
  running.chosenHub = hub;
  while (state$.value.phase !== 'stopped') await runUntilNextPhase(context, running, hub, retry);
  await exporting;
}

/** Runs one phase until the state has another connection. */
async function runUntilNextPhase(
  context: AgentContext,
  { state$ }: Running,
  hub: ChosenHub,
  retry: RetryOptions,
): Promise<void> {
  const state = state$.value;
  const end = new AbortController();
  const signal = AbortSignal.any([retry.signal, end.signal]);
  const phase = retryUntilDone(`go on while ${state.phase}`, { ...retry, signal }, () =>
    runPhase(context, hub, state, signal),
  );
  await firstValueFrom(state$.pipe(filter(({ connection }) => connection !== state.connection)));
  end.abort();
  await phase;
  if (leavesHub(state$.value)) await context.session.leave();
}

/** Follows the Secret of the agent: reports its deletion, and copies it to files. Resolves when the signal aborts. */
async function followSecret(setup: AgentSetup, running: Running, signal: AbortSignal): Promise<void> {
  const { changes, storedChanges, send } = running;
  const { management, clock, log, random, options, secretKey, files } = setup;
  using informers = createInformers({ client: management, clock, log, random });
  const cache = informers.resource(secrets, {
    namespace: options.namespace,
    fieldSelector: `metadata.name=${options.hubKubeconfigSecret}`,
  });
  const subscription = cache.changes.subscribe((change) => {
    if (change.key !== secretKey) return;
    storedChanges.next();
    const isDeleted = change.type === 'deleted';
    if (isDeleted) send({ type: 'secretDeleted' });
    // An administrator took the join record out of the Secret.
    const isJoinForgotten =
      change.type === 'updated' &&
      change.previous.data?.[joinRecordKey] !== undefined &&
      change.object.data?.[joinRecordKey] === undefined;
    if (!isDeleted && !isJoinForgotten) return;
    changes.next();
    send({ type: 'rejoinRequested' });
  });
  const controllers = files ? [exportController(cache, secretKey, files)] : [];
  await runControllers(controllers, { signal, clock, log, random, syncTimeoutMs });
  subscription.unsubscribe();
}
