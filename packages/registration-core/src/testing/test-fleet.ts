import {
  type AccessSource,
  type ClusterAccess,
  createInformers,
  type Logger,
  namespaces,
  realClock,
  runControllers,
  secrets,
  silentLogger,
} from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { NEVER, Subject } from 'rxjs';
import { decodeCredentials } from '../agent/credentials/credential-store.ts';
import { type Agent, type AgentOptions, type AgentState, createAgent, initialState } from '../agent/index.ts';
import type {
  AgentDriver,
  AgentDriverContext,
  HubDriver,
  HubDriverContext,
  StoredCredentials,
} from '../contract/index.ts';
import { type TestHub, testHub } from './test-hub.ts';
import { type Authenticate, type TestPlane, type TestWire, testWire } from './wire.ts';

/** What a fleet of one hub and one managed cluster is made of. */
export interface TestFleetOptions {
  /** Starts an empty API server on this clock; called for the hub, with OCM's kinds installed, and for the managed cluster. */
  readonly startPlane: (clock: FakeClock, role: 'hub' | 'spoke') => Promise<TestPlane>;
  readonly agentDriver: (context: Omit<AgentDriverContext<unknown>, 'options'>) => AgentDriver;
  /** Absent if the auth type needs nothing on the hub. */
  readonly hubDriver?: (context: Omit<HubDriverContext<unknown>, 'options'>) => HubDriver;
  /** Who the credentials of the driver stand for; the bootstrap user is known already. */
  readonly authenticate: (access: ClusterAccess, now: number) => ReturnType<Authenticate>;
  readonly agentOptions?: Partial<AgentOptions>;
  readonly log?: Logger;
}

/** A running agent of a test. */
export interface RunningAgent {
  readonly agent: Agent;
  readonly state: AgentState;
  stop(): Promise<void>;
}

/** A hub, a managed cluster, and the wire between them. */
export interface TestFleet extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly hub: TestPlane;
  readonly spoke: TestPlane;
  readonly admin: TestHub;
  readonly wire: TestWire;
  readonly bootstrap: TestBootstrap;
  startAgent(options?: Partial<AgentOptions>): RunningAgent;
  /** What the agent has stored. */
  stored(): Promise<StoredCredentials | undefined>;
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

/** Starts a fleet whose hub knows the bootstrap user and runs the hub side of the driver. */
export async function startTestFleet(options: TestFleetOptions): Promise<TestFleet> {
  const clock = new FakeClock(realClock.now());
  const log = options.log ?? silentLogger;
  const [hub, spoke] = await Promise.all([options.startPlane(clock, 'hub'), options.startPlane(clock, 'spoke')]);
  const admin = testHub(hub.client, clock);
  await admin.allowBootstrap(bootstrapUser);
  await spoke.client.resource(namespaces).create({ metadata: { name: agentNamespace } });
  const wire = testWire(hub, (access) =>
    access.authorization === `Bearer ${bootstrapUser}`
      ? { name: bootstrapUser, groups: ['system:authenticated'] }
      : options.authenticate(access, clock.now()),
  );
  const bootstrap = testBootstrap();
  const end = new AbortController();
  const informers = createInformers({ client: hub.client, clock });
  const driver = options.hubDriver?.({ client: hub.client, informers, clock, log, gates: {} });
  const running = runControllers(driver?.controllers ?? [], { signal: end.signal, clock, log });
  const agents: RunningAgent[] = [];

  return {
    clock,
    hub,
    spoke,
    admin,
    wire,
    bootstrap,
    startAgent(agentOptions = {}) {
      const agent = createAgent({
        management: spoke.client,
        spoke: spoke.client,
        driver: options.agentDriver,
        bootstrap,
        options: {
          clusterName: 'c1',
          agentName: 'a1',
          namespace: agentNamespace,
          ...options.agentOptions,
          ...agentOptions,
        },
        clock,
        log,
        random: () => 0.5,
        connect: wire.connect,
      });
      const stop = new AbortController();
      let state = initialState;
      const subscription = agent.state$.subscribe((next) => {
        state = next;
      });
      const done = agent.run(stop.signal);
      const started: RunningAgent = {
        agent,
        get state() {
          return state;
        },
        async stop() {
          stop.abort();
          await done;
          subscription.unsubscribe();
        },
      };
      agents.push(started);
      return started;
    },
    async stored() {
      const secret = await spoke.client.resource(secrets).find(`${agentNamespace}/hub-kubeconfig-secret`);
      return secret && decodeCredentials(secret.data);
    },
    async eventually(check, stepMs = 500) {
      for (let step = 0; ; step += 1) {
        try {
          return await check();
        } catch (error) {
          if (step >= mostSteps) throw error;
        }
        // Keys are made on other threads, which a clock that stands still does not wait for.
        await realClock.sleep(2);
        await clock.advance(stepMs);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent.stop()));
      end.abort();
      await running;
      informers.close();
      await Promise.all([hub.stop(), spoke.stop()]);
    },
  };
}

function testBootstrap(): TestBootstrap {
  const changes = new Subject<void>();
  let access: ClusterAccess = {
    server: 'https://hub.example:6443',
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
    problems: NEVER,
    invalidate() {},
    close() {},
  };
}
