import {
  type AccessSource,
  type Clock,
  type ClusterAccess,
  createInformers,
  type Logger,
  realClock,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { generateKeys } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { NEVER, Subject } from 'rxjs';
import { decodeCredentials } from '../agent/credentials/credential-store.ts';
import {
  type Agent,
  type AgentHealth,
  type AgentOptions,
  type AgentState,
  type BoundDriver,
  createAgent,
  initialState,
} from '../agent/index.ts';
import type { BootstrapFiles, HubDriverContext, StoredCredentials } from '../contract/index.ts';
import { createHub, type StartedDriver } from '../hub/index.ts';
import { type TestHub, testHub } from './test-hub.ts';
import { type Authenticate, routed, type TestNetwork, type TestPlane, testNetwork } from './test-network.ts';

/** What a fleet of one hub and one managed cluster is made of. */
export interface TestFleetOptions {
  /** Starts an empty API server on this clock; called for the hub, with OCM's kinds installed, and for the managed cluster. */
  readonly startPlane: (clock: FakeClock, role: 'hub' | 'spoke') => Promise<TestPlane>;
  /** The driver of the agent, which finds its bootstrap kubeconfigs under these flags: `(flags) => bindDriver(csrDriver, flags)`. */
  readonly driver: (flags: TestBootstrapFlags) => BoundDriver;
  /** By which add-ons may register beside it. Default: none. */
  readonly addonDrivers?: readonly BoundDriver[];
  /** The drivers of the hub: `(context) => startDrivers([csrDriver], { ...context, options })`. */
  readonly hubDrivers: (context: Omit<HubDriverContext<unknown>, 'options'>) => Promise<readonly StartedDriver[]>;
  /** Who the credentials of the driver stand for; the bootstrap user is known already. */
  readonly authenticate: (access: ClusterAccess, now: EpochMs) => ReturnType<Authenticate>;
  /** The text of a bootstrap file that is not a kubeconfig, for this access; the driver finds it under the same flags. */
  readonly bootstrapText?: (access: ClusterAccess) => string;
  readonly agentOptions?: Partial<AgentOptions>;
  /** Runs the hub's own controllers with these gates. Without it the administrator of the test does their work by hand. */
  readonly hubGates?: Readonly<Record<string, boolean>>;
  readonly log?: Logger;
}

/** The values of the flags for bootstrap kubeconfigs. */
export interface TestBootstrapFlags {
  readonly bootstrapKubeconfig: string;
  readonly bootstrapKubeconfigs: string[];
}

/** A running agent of a test. */
export interface RunningAgent {
  readonly agent: Agent;
  readonly state: AgentState;
  /** All states so far with what the health endpoint said in each, for those that are over before a test reads them. */
  readonly history: readonly { readonly state: AgentState; readonly health: AgentHealth }[];
  stop(): Promise<void>;
}

/** A hub of a test, the network that leads to it, and the bootstrap access by which an agent asks it. */
export interface TestHubSide {
  readonly hub: TestPlane;
  readonly admin: TestHub;
  readonly network: TestNetwork;
  readonly bootstrap: TestBootstrap;
}

/** A hub, a managed cluster, and the network between them. */
export interface TestFleet extends TestHubSide, AsyncDisposable {
  readonly clock: FakeClock;
  readonly spoke: TestPlane;
  /** The bootstrap kubeconfig of the first hub. */
  readonly files: BootstrapFiles;
  /** Starts another hub, at another address. */
  startHub(server: string): Promise<TestHubSide>;
  /** With several hubs the agent chooses among them, if its gate MultipleHubs is on. Its clock is that of the fleet by default. */
  startAgent(
    options?: Partial<AgentOptions>,
    hubs?: readonly [TestHubSide, ...TestHubSide[]],
    own?: Clock,
  ): RunningAgent;
  /** What the agent has stored. */
  stored(): Promise<StoredCredentials | undefined>;
  /** Lets time pass, no faster than keys are made: these are made on threads, which do not wait for a clock of a test. */
  pass(ms: number): Promise<void>;
  /** Lets time pass in steps until the check stops throwing, and answers what it returns. */
  eventually<T>(check: () => T | Promise<T>, stepMs?: number): Promise<T>;
}

/** Bootstrap access that a test can change. */
export interface TestBootstrap extends AccessSource {
  set(changes: Partial<ClusterAccess>): void;
}

const bootstrapUser = 'bootstrapper';
const agentNamespace = 'open-cluster-management-agent';
const mostSteps = 400;
const passStepMs = 60_000;

/** Starts a fleet whose hub knows the bootstrap user and runs the hub side of the driver. */
export async function startTestFleet(options: TestFleetOptions): Promise<TestFleet> {
  const clock = new FakeClock(realClock.now());
  const log = options.log ?? silentLogger;
  const cleanup = new AsyncDisposableStack();
  /** By address; whatever address is not there leads to the first one. */
  const hubs = new Map<string, TestHubSide>();
  const startHub = async (server: string): Promise<TestHubSide> => {
    const side = await startHubSide(options, { server, clock, log, cleanup });
    hubs.set(server, side);
    return side;
  };
  const [first, spoke] = await Promise.all([
    startHub('https://hub.example:6443'),
    options.startPlane(clock, 'spoke').then((plane) => cleanup.adopt(plane, () => plane.stop())),
  ]);
  await spoke.client.resource(namespaces).create({ metadata: { name: agentNamespace } });
  const connect = routed(async (access) => (hubs.get((await access.current()).server) ?? first).network);

  return {
    ...first,
    clock,
    spoke,
    files: filesOf([first], options),
    startHub,
    startAgent(agentOptions = {}, [preferred, ...others] = [first], own = clock) {
      const chosen = [preferred, ...others];
      const agent = createAgent({
        management: spoke.client,
        spoke: spoke.client,
        driver: options.driver({
          bootstrapKubeconfig: fileOf(0),
          bootstrapKubeconfigs: chosen.map((_, index) => fileOf(index)),
        }),
        ...(options.addonDrivers && { addonDrivers: options.addonDrivers }),
        bootstrapFiles: filesOf(chosen, options),
        options: {
          clusterName: 'c1',
          agentName: 'a1',
          namespace: agentNamespace,
          ...options.agentOptions,
          ...agentOptions,
        },
        clock: own,
        log,
        random: () => 0.5,
        connect,
      });
      return cleanup.adopt(startRunning(agent, clock), (running) => running.stop());
    },
    async stored() {
      const secret = await spoke.client.resource(secrets).find(`${agentNamespace}/hub-kubeconfig-secret`);
      return secret && decodeCredentials(secret.data);
    },
    pass: (ms) => pass(clock, ms),
    eventually: (check, stepMs = 500) => eventually(clock, check, stepMs),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= passStepMs) {
    await clock.advance(Math.min(left, passStepMs));
    await threadsRest();
  }
}

async function eventually<T>(clock: FakeClock, check: () => T | Promise<T>, stepMs: number): Promise<T> {
  for (let step = 0; ; step += 1) {
    try {
      return await check();
    } catch (error) {
      if (step >= mostSteps) throw error;
    }
    await threadsRest();
    await clock.advance(stepMs);
  }
}

const fileOf = (index: number): string => `bootstrap-${index}`;

const filesOf = (hubs: readonly TestHubSide[], { bootstrapText }: TestFleetOptions): BootstrapFiles => {
  const bootstrapOf = (path: string): TestBootstrap => {
    const found = hubs.find((_, index) => fileOf(index) === path);
    if (!found) throw new Error(`there is no bootstrap file ${path}`);
    return found.bootstrap;
  };
  return {
    kubeconfig: bootstrapOf,
    text(path) {
      const bootstrap = bootstrapOf(path);
      if (!bootstrapText) throw new Error(`${path} is a kubeconfig`);
      return { current: async () => bootstrapText(await bootstrap.current()), changes: bootstrap.changes, close() {} };
    },
  };
};

/** More than there are threads, so that all that was asked of them before is done; again, for what follows from it. */
async function threadsRest(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 8 }, () => generateKeys()));
}

interface HubSideInput {
  readonly server: string;
  readonly clock: FakeClock;
  readonly log: Logger;
  readonly cleanup: AsyncDisposableStack;
}

async function startHubSide(
  options: TestFleetOptions,
  { server, clock, log, cleanup }: HubSideInput,
): Promise<TestHubSide> {
  const hub = await options.startPlane(clock, 'hub');
  cleanup.defer(() => hub.stop());
  const bootstrapAuthorization = `Bearer ${bootstrapUser}`;
  const authenticate: Authenticate = (access) =>
    access.authorization === bootstrapAuthorization
      ? { name: bootstrapUser, groups: ['system:authenticated'] }
      : options.authenticate(access, clock.now());
  const network = testNetwork(hub, authenticate, bootstrapAuthorization);
  const end = new AbortController();
  const informers = createInformers({ client: hub.client, clock });
  const { hubGates: gates } = options;
  const context = { client: hub.client, informers, clock, log };
  const drivers = await options.hubDrivers({ ...context, gates: gates ?? {}, signal: end.signal });
  const admin = testHub(hub.client, clock, (name) => drivers.flatMap((driver) => driver.subjects(name)));
  await admin.allowBootstrap(bootstrapUser);
  const core = gates && createHub({ ...context, drivers, gates });
  const controllers = core?.controllers ?? drivers.flatMap((driver) => driver.controllers);
  const running = runControllers(controllers, { signal: end.signal, clock, log });
  cleanup.defer(async () => {
    end.abort();
    await running;
    await core?.close();
    informers.close();
  });
  return { hub, admin, network, bootstrap: testBootstrap(server) };
}

function startRunning(agent: Agent, clock: FakeClock): RunningAgent {
  const stop = new AbortController();
  const history: RunningAgent['history'][number][] = [];
  const subscription = agent.state$.subscribe((state) => history.push({ state, health: agent.health() }));
  const done = agent.run(stop.signal);
  return {
    agent,
    history,
    get state() {
      return history.at(-1)?.state ?? initialState;
    },
    async stop() {
      stop.abort();
      await passUntil(clock, done);
      subscription.unsubscribe();
    },
  };
}

/** An agent that ends gives what it has begun some time, by the clock of the fleet: time passes if it takes that. */
async function passUntil(clock: FakeClock, done: Promise<void>): Promise<void> {
  let isOver = false;
  const over = done.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  for (let round = 0; !isOver && round < mostSteps; round += 1) {
    await threadsRest();
    if (!isOver && round > 0) await clock.advance(1000);
  }
  await over;
}

function testBootstrap(server: string): TestBootstrap {
  const changes = new Subject<void>();
  let access: ClusterAccess = {
    server,
    clusterName: 'hub',
    authorization: `Bearer ${bootstrapUser}`,
    origin: 'the test',
  };
  return {
    current: async () => access,
    set(next) {
      access = { ...access, ...next };
      changes.next();
    },
    changes,
    errors: NEVER,
    invalidate() {},
    close() {},
  };
}
