import { randomUUID } from 'node:crypto';
import { DataKey } from '@flotilla/api-types';
import {
  type AccessSource,
  backoffMs,
  type Clock,
  createInformers,
  createTransport,
  type KubeClient,
  KubeError,
  type Logger,
  namespaces,
  realClock,
  runControllers,
  secrets,
  silentLogger,
  type Transport,
} from '@flotilla/kube';
import { BehaviorSubject, distinctUntilChanged, filter, firstValueFrom, type Observable } from 'rxjs';
import type { AgentDriver, AgentDriverContext, CredentialVerdict, StoredCredentials } from '../contract/index.ts';
import { runBootstrapping } from './bootstrapping.ts';
import { runConnected } from './connected.ts';
import type { AgentContext, JoinedHub } from './context.ts';
import { type CredentialFiles, credentialFiles } from './credentials/credential-files.ts';
import { secretStore } from './credentials/credential-store.ts';
import { exportController } from './credentials/export.controller.ts';
import { compareEndpoints, endpointOf, type HubEndpoint, storedEndpoint } from './credentials/hub-kubeconfig.ts';
import { type CredentialProblem, problemOfStored } from './credentials/problem-of-stored.ts';
import { locateHub } from './credentials/stored-access.ts';
import { agentGates } from './gates.ts';
import { announcedEndpoint } from './hub-info/announced.ts';
import { chooseHub } from './hubs/hub-choice.ts';
import { chooseIdentity, validateIdentity } from './identity/identity.policy.ts';
import { type AgentOptions, resolveOptions } from './options.ts';
import { type AgentEvent, type AgentState, initialState, transition } from './state.ts';
import { releaseNamespaces } from './status/managed-namespaces.ts';

/** What an agent is made of. */
export interface AgentInput {
  /** Where the agent's own secrets are; the managed cluster itself unless hosted. */
  readonly management: KubeClient;
  /** The managed cluster. */
  readonly spoke: KubeClient;
  /** Makes the driver once it is known who the agent is: `({ identity, … }) => csrDriver.agent({ identity, options, … })`. */
  readonly driver: (context: Omit<AgentDriverContext<unknown>, 'options'>) => AgentDriver;
  /** The first, shared access to the hub; with the gate MultipleHubs to each of several, the preferred one first. */
  readonly bootstrap: AccessSource | readonly [AccessSource, ...AccessSource[]];
  readonly options: AgentOptions;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
  /** How to reach the hub with access. Default: `createTransport`. */
  readonly connect?: (access: AccessSource) => Transport;
}

/** A registration agent. */
export interface Agent {
  /** Runs until the signal aborts; throws only if its options cannot work. */
  run(signal: AbortSignal): Promise<void>;
  readonly state$: Observable<AgentState>;
  /** The hub while the agent is let in, undefined while it is not; another object for each connection. */
  readonly hub$: Observable<JoinedHub | undefined>;
  /** For the health endpoint: false if the agent cannot work any more without somebody's help. */
  health(): CredentialVerdict;
}

/** A cache that cannot be filled is waited for, and never a reason to end. */
const syncTimeoutMs = 24 * 3_600_000;
const retry = { baseMs: 500, maxMs: 30_000 };

/** An agent that joins its cluster to a hub, and keeps it joined whatever happens to credentials, hub and secrets. */
export function createAgent(input: AgentInput): Agent {
  const { management, spoke, clock = realClock, random = Math.random } = input;
  const bootstraps = 'current' in input.bootstrap ? ([input.bootstrap] as const) : input.bootstrap;
  const log = input.log ?? silentLogger;
  const options = resolveOptions(input.options, bootstraps.length);
  const gates = agentGates(options.featureGates);
  const state$ = new BehaviorSubject<AgentState>(initialState);
  const hub$ = new BehaviorSubject<JoinedHub | undefined>(undefined);
  const connect = input.connect ?? ((access: AccessSource) => createTransport({ access, clock, log, random }));
  /** Of the hub that was chosen. */
  let bootstrap: AccessSource = bootstraps[0];
  let whyNoHub: string | undefined;
  const secretKey = `${options.namespace}/${options.hubKubeconfigSecret}`;
  const store = secretStore(management, secretKey);
  const files = options.hubKubeconfigDir === undefined ? undefined : credentialFiles(options.hubKubeconfigDir);

  const send = (event: AgentEvent): void => {
    const next = transition(state$.value, event);
    if (next === state$.value) return;
    const { phase, ...details } = next;
    log.info(`the agent is ${phase}`, { ...details, event: event.type });
    state$.next(next);
  };

  /** Tries until it works or the signal aborts. */
  const persist = async <T>(what: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T | undefined> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) return undefined;
        log.warn(`cannot ${what}`, { error: KubeError.from(error) });
        await clock.sleep(backoffMs(retry, failures, random()), signal).catch(() => undefined);
      }
    }
    return undefined;
  };

  const prepare = async (stored: StoredCredentials | undefined, signal: AbortSignal): Promise<AgentContext> => {
    const chosen = chooseIdentity(options, stored ?? (await storedNames(files)), { random, uuid: randomUUID });
    validateIdentity(chosen);
    const names = { 'cluster-name': chosen.clusterName, 'agent-name': chosen.agentName };
    const isGenerated = !(options.clusterName && options.agentName);
    // A restart before the first credential must not make another cluster of this one.
    if (isGenerated) await persist('store the names of the agent', signal, () => store.write(names));
    const clusterUid = await persist('read the identity of the cluster', signal, () => readClusterUid(spoke, log));
    const identity = { ...chosen, ...(clusterUid !== undefined && { clusterUid }) };
    const driver = input.driver({ identity, clock, log, random });
    return {
      identity,
      options,
      gates,
      management,
      spoke,
      driver,
      store,
      description: {
        clusterName: identity.clusterName,
        ...(clusterUid !== undefined && { clusterUid }),
        annotations: options.clusterAnnotations,
        externalServerUrls: options.spokeExternalServerUrls,
        ...(options.spokeCaBundle !== undefined && { caBundle: options.spokeCaBundle }),
        decorate: (cluster) => driver.decorate(cluster),
      },
      connect,
      clock,
      log: log.child({ cluster: identity.clusterName }),
      random,
      send,
      onHub: (hub) => hub$.next(hub),
    };
  };

  /** What one state asks to be done, until it is left. */
  const runPhase = async (context: AgentContext, state: AgentState, signal: AbortSignal): Promise<void> => {
    const { driver } = context;
    const stored = await store.read();
    if (state.phase === 'starting' && gates.MultipleHubs) {
      const { clusterName } = context.identity;
      const rights = driver.bootstrapRights ?? [];
      const choice = {
        bootstraps,
        stored,
        avoid: state.left?.server,
        clusterName,
        rights,
        connect,
        clock,
        log,
        signal,
      };
      try {
        bootstrap = await chooseHub(choice);
        whyNoHub = undefined;
      } catch (error) {
        whyNoHub = KubeError.from(error).message;
        throw error;
      }
    }
    const endpoint = await locateHub(bootstrap, stored, endpointOf);
    const scope = { bootstrap, endpoint, signal };
    using _watch = watchBootstrap(bootstrap, endpoint);
    // Awaited here, because the watch ends with this function.
    if (state.phase !== 'starting') await leaveEarlierHub(storedEndpoint(stored)?.server, endpoint, signal);
    if (state.phase === 'bootstrapping') return await runBootstrapping(context, scope, state);
    const problem = problemOfStored(driver, stored, endpoint);
    if (problem) send(unusable(state, problem));
    else if (state.phase === 'starting') send({ type: 'credentialsUsable' });
    else await runConnected(context, scope, stored ?? {});
  };

  /** As long as the credentials of the earlier hub are stored, so that a restart in between forgets nothing. */
  const leaveEarlierHub = async (earlier: string | undefined, { server }: HubEndpoint, signal: AbortSignal) => {
    if (earlier === undefined || earlier === server) return;
    await releaseNamespaces(spoke, earlier, signal).catch((error: unknown) => {
      log.warn('cannot release the namespaces that the earlier hub managed', { hub: earlier, error });
    });
  };

  const watchBootstrap = (bootstrap: AccessSource, endpoint: HubEndpoint): Disposable => {
    const compare = async (): Promise<void> => {
      const next = endpointOf(await bootstrap.current());
      const message = compareEndpoints(endpoint, next);
      if (message === undefined) return;
      const stored = await store.read();
      const isKnownAs = (known: HubEndpoint | undefined) =>
        known !== undefined && compareEndpoints(known, next) === undefined;
      // What the hub announced beforehand is stored, and no surprise.
      if (isKnownAs(announcedEndpoint(stored))) send({ type: 'hubMoved', message });
      else if (!isKnownAs(storedEndpoint(stored))) send({ type: 'bootstrapChanged', message });
    };
    const subscription = bootstrap.changes.subscribe(() => void compare().catch(() => undefined));
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  };

  return {
    state$: state$.asObservable(),
    hub$: hub$.pipe(distinctUntilChanged()),
    health() {
      const state = state$.value;
      const whyStarting = state.phase === 'starting' ? (whyNoHub ?? state.left?.message) : undefined;
      if (whyStarting !== undefined) return { usable: false, reason: 'NoHub', message: whyStarting };
      const isLost = state.phase === 'bootstrapping' && state.reason !== 'NoCredentials' && !state.keepCredentials;
      return isLost ? { usable: false, reason: state.reason, message: state.message } : { usable: true };
    },
    async run(signal) {
      const onAbort = () => send({ type: 'stop' });
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      const stored = await persist('read the stored credentials', signal, () => store.read());
      if (signal.aborted) return;
      const context = await prepare(stored, signal);
      using informers = createInformers({ client: management, clock, log, random });
      const cache = informers.resource(secrets, {
        namespace: options.namespace,
        fieldSelector: `metadata.name=${options.hubKubeconfigSecret}`,
      });
      const deletions = cache.changes.subscribe(({ type, key }) => {
        if (type === 'deleted' && key === secretKey) send({ type: 'secretDeleted' });
      });
      const controllers = files ? [exportController(cache, secretKey, files)] : [];
      const exporting = runControllers(controllers, { signal, clock, log, random, syncTimeoutMs });
      while (state$.value.phase !== 'stopped') {
        const state = state$.value;
        const end = new AbortController();
        const scope = AbortSignal.any([signal, end.signal]);
        const work = persist(`go on while ${state.phase}`, scope, () => runPhase(context, state, scope));
        await firstValueFrom(state$.pipe(filter(({ connection }) => connection !== state.connection)));
        end.abort();
        await work;
      }
      await exporting;
      deletions.unsubscribe();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** At the start it is a finding; later it is what happened to credentials that were good. */
const unusable = (state: AgentState, { reason, message }: CredentialProblem): AgentEvent => {
  if (state.phase === 'starting') return { type: 'credentialsUnusable', reason, message };
  if (reason === 'BootstrapChanged') return { type: 'bootstrapChanged', message };
  return reason === 'NoCredentials' ? { type: 'secretDeleted' } : { type: 'expired', message };
};

/** Names as files have them that outlived their Secret. */
async function storedNames(files: CredentialFiles | undefined): Promise<StoredCredentials> {
  const names = await Promise.all(
    [DataKey.ClusterName, DataKey.AgentName].map(async (name) => [name, (await files?.read(name)) ?? ''] as const),
  );
  return Object.fromEntries(names);
}

/** The uid of kube-system, which is as old as the cluster. Undefined if the agent may not see it. */
async function readClusterUid(spoke: KubeClient, log: Logger): Promise<string | undefined> {
  try {
    return (await spoke.resource(namespaces).get('kube-system')).metadata?.uid;
  } catch (error) {
    if (!KubeError.is(error, 'Forbidden', 'NotFound')) throw error;
    log.warn('the identity of the cluster cannot be read, so the hub cannot tell it from another', { error });
    return undefined;
  }
}
