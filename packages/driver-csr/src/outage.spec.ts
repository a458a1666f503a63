import { managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { findCondition, KubeError } from '@flotilla/kube';
import { timeAfter } from '@flotilla/kube/clock';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  namespaces,
  roleBindings,
  secrets,
} from '@flotilla/kube/kinds';
import { certificateUser, startTestFleet, type TestFleet, type TestHubSide } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet, joined, openCsrFleet, running } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const startCsrFleet = () => startTestFleet({ ...csrFleet, authenticate: certificateUser });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The permissions of the cluster's agent, taken away and given back. */
async function takePermissions({ hub }: TestFleet): Promise<() => Promise<void>> {
  const shared = hub.client.resource(clusterRoleBindings);
  const own = hub.client.resource(roleBindings);
  const sharedKey = 'open-cluster-management:managedcluster:c1';
  const [first, second] = [await shared.get(sharedKey), await own.get('c1/registration')];
  await shared.delete(sharedKey);
  await own.delete('c1/registration');
  return async () => {
    await shared.create({ ...first, metadata: { name: sharedKey } });
    await own.create({ ...second, metadata: { name: 'registration', namespace: 'c1' } });
  };
}

/** Delays all answers to requests with other than bootstrap credentials. */
function answerAfter({ network, clock }: TestFleet, ms: number): void {
  const connect = network.connect.bind(network);
  network.connect = (access) => {
    const transport = connect(access);
    return {
      ...transport,
      async request(request) {
        if ((await access.current()).clientCertificate) await clock.sleep(ms, request.signal);
        return transport.request(request);
      },
    };
  };
}

describe('an agent with a good certificate', () => {
  it('works on after minutes in which the hub answered 401, although its bootstrap token has ended', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    fleet.bootstrap.set({ authorization: 'Bearer ended' });
    fleet.network.revoke(() => true);
    await fleet.pass(3 * minuteMs);
    expect(agent.state).toMatchObject({ phase: 'bootstrapping', reason: 'Unauthorized' });
    expect(agent.agent.health()).toMatchObject({ ready: false });
    fleet.network.revoke(() => false);
    await fleet.pass(2 * minuteMs);
    expect(agent.state.phase).toBe('running');
    expect(agent.agent.health()).toEqual({ ready: true });
  });

  it('works on after a minute of 401 without a decision on the request that it made meanwhile, and renews later', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const before = await fleet.stored();
    fleet.network.revokeAll();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await fleet.eventually(async () => expect(await undecided(fleet)).toHaveLength(1));
    fleet.network.revoke(() => false);
    await fleet.pass(2 * minuteMs);
    expect(agent.state.phase).toBe('running');
    await fleet.eventually(async () => expect(await fleet.stored()).not.toHaveProperty(['pending.tls.key']));
    expect((await fleet.stored())?.['tls.crt']).toBe(before?.['tls.crt']);
    // The request of the bootstrap user stays undecided; the renewal is another one, of the agent itself, which the hub approves.
    await fleet.pass(55 * minuteMs);
    expect((await undecided(fleet)).map(({ spec }) => spec.username)).toEqual(['bootstrapper']);
    expect((await fleet.stored())?.['tls.crt']).not.toBe(before?.['tls.crt']);
    expect(agent.state.phase).toBe('running');
  });

  it('works on when its permissions come back, although its bootstrap kubeconfig cannot be read', async () => {
    await using fleet = await startCsrFleet();
    const first = await joined(fleet);
    await first.stop();
    fleet.bootstrap.current = async () => {
      throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
    };
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    const restore = await takePermissions(fleet);
    await fleet.eventually(() => expect(agent.state).toMatchObject({ phase: 'bootstrapping', reason: 'Forbidden' }));
    await fleet.eventually(() =>
      expect(agent.agent.health()).toMatchObject({
        ready: false,
        reason: 'RegistrationFailed',
        message: expect.stringContaining('bootstrap kubeconfig does not exist'),
      }),
    );
    await restore();
    await fleet.pass(2 * minuteMs);
    expect(agent.state.phase).toBe('running');
    expect(agent.agent.health()).toEqual({ ready: true });
  });

  it.each(['open', 'start'])(
    'works on after minutes of 401, although its driver fails at each %s()',
    async (faulty) => {
      let isFailing = () => false;
      const failing =
        <A extends readonly unknown[], R>(name: string, call: (...args: A) => R) =>
        (...args: A): R => {
          if (name === faulty && isFailing()) throw new KubeError('Config', 'the bootstrap file is damaged');
          return call(...args);
        };
      await using fleet = await startTestFleet({
        ...csrFleet,
        authenticate: certificateUser,
        driver(flags) {
          const bound = csrFleet.driver(flags);
          return {
            ...bound,
            async agent(context) {
              const driver = await bound.agent?.(context);
              if (!driver) throw new Error('the driver has no agent');
              const [source] = driver.bootstraps;
              const open = failing('open', source.open.bind(source));
              return {
                ...driver,
                start: failing('start', driver.start.bind(driver)),
                bootstraps: [{ ...source, open }],
              };
            },
          };
        },
      });
      const agent = await joined(fleet);
      isFailing = () => agent.state.phase === 'bootstrapping';
      fleet.network.revokeAll();
      await fleet.pass(3 * minuteMs);
      expect(agent.state.phase).toBe('bootstrapping');
      fleet.network.revoke(() => false);
      await fleet.pass(2 * minuteMs);
      expect(agent.state.phase).toBe('running');
    },
  );

  it.each([
    ['no request', 'works again and takes seconds to answer', 2000, 0],
    ['one request', 'does not answer', 10 * minuteMs, 1],
  ])('makes %s when, after 401, the hub %s', async (_requests, _hub, answerMs, count) => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    fleet.network.revokeAll();
    let isSlow = false;
    const subscription = agent.agent.state$.subscribe(({ phase }) => {
      if (phase !== 'bootstrapping') return;
      fleet.network.revoke(() => false);
      answerAfter(fleet, answerMs);
      isSlow = true;
    });
    await fleet.eventually(() => expect(isSlow).toBe(true));
    subscription.unsubscribe();
    // In steps, so that a key is made while the hub is slow.
    for (let step = 0; step < 60; step += 1) await fleet.pass(500);
    expect(agent.state.phase).toBe(count === 0 ? 'running' : 'bootstrapping');
    expect(await undecided(fleet)).toHaveLength(count);
  });

  it('goes back to the only hub that accepts it, although the bootstrap tokens of all hubs have ended', async () => {
    await using fleet = await startCsrFleet();
    const second = await fleet.startHub('https://second.example:6443');
    const options = { featureGates: { MultipleHubs: true }, hubConnectionTimeoutSeconds: 30 };
    const agent = await joined(fleet, fleet.startAgent(options, [fleet, second]));
    for (const { bootstrap } of [fleet, second]) bootstrap.set({ authorization: 'Bearer ended' });
    fleet.network.setConnected(false);
    await fleet.pass(5 * minuteMs);
    expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'NoHub' });
    fleet.network.setConnected(true);
    await fleet.pass(2 * minuteMs);
    expect(agent.state.phase).toBe('running');
    expect(agent.agent.health()).toEqual({ ready: true });
  });

  it('does not go back to a hub that denied it', async () => {
    await using fleet = await startCsrFleet();
    const second = await fleet.startHub('https://second.example:6443');
    const options = { featureGates: { MultipleHubs: true }, hubConnectionTimeoutSeconds: 30 };
    const agent = await joined(fleet, fleet.startAgent(options, [fleet, second]));
    for (const { bootstrap } of [fleet, second]) bootstrap.set({ authorization: 'Bearer ended' });
    await fleet.admin.deny('c1');
    await fleet.pass(5 * minuteMs);
    expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'NoHub' });
  });
});

describe('an agent whose bootstrap access leads to another hub', () => {
  it('moves there, although its Secret cannot be read at that moment', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    const second = await fleet.startHub('https://second.example:6443');
    const { transport } = fleet.spoke.client;
    const request = transport.request.bind(transport);
    let failures = 2;
    transport.request = async (call) => {
      if (call.method === 'GET' && call.path.includes('hub-kubeconfig-secret') && failures-- > 0) {
        throw new KubeError('Unavailable', 'for a moment', { status: 503 });
      }
      return request(call);
    };
    fleet.bootstrap.set(await second.bootstrap.current());
    await fleet.eventually(async () => expect(await second.admin.cluster('c1')).toBeDefined());
    expect(failures).toBeLessThanOrEqual(0);
  });

  it.each<[string, object, (fleet: TestFleet, second: TestHubSide) => unknown]>([
    ['by its bootstrap access', {}, async ({ bootstrap }, second) => bootstrap.set(await second.bootstrap.current())],
    ['by MultipleHubs', { featureGates: { MultipleHubs: true } }, ({ admin }) => admin.deny('c1')],
  ])('gets new credentials for its add-ons there at once, moved %s', async (_, options, move) => {
    await using fleet = await startCsrFleet();
    const second = await fleet.startHub('https://second.example:6443');
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: addonNamespace } });
    await joined(fleet, fleet.startAgent(options, [fleet, second]));
    const first = await given(fleet, fleet);
    expect(first).toContain('https://hub.example:6443');
    await move(fleet, second);
    await fleet.eventually(async () => expect(await second.admin.cluster('c1')).toBeDefined());
    await second.admin.accept('c1');
    const moved = await given(fleet, second);
    expect(moved).toContain('https://second.example:6443');
    const issued = (await second.hub.client.resource(certificateSigningRequests).list()).items.map(({ status }) =>
      Buffer.from(status?.certificate ?? '', 'base64').toString(),
    );
    expect(issued).toContain((await addonSecret(fleet))?.['tls.crt']);
  });
});

describe('an agent whose clock is ahead of the hub', () => {
  const aheadOf = ({ clock }: TestFleet, ahead: { ms: number }) => ({
    now: () => timeAfter(clock.now(), ahead.ms),
    monotonic: () => clock.monotonic(),
    schedule: clock.schedule.bind(clock),
    sleep: clock.sleep.bind(clock),
  });
  const requestsOf = async ({ hub }: TestFleet) =>
    (await hub.client.resource(certificateSigningRequests).list()).items.length;

  it('by more than a certificate lives asks a few times an hour, names the clock, and joins when it is set right', async () => {
    await using fleet = await startTestFleet({ ...openCsrFleet, authenticate: certificateUser });
    const ahead = { ms: 3 * hourMs };
    const agent = fleet.startAgent({}, [fleet], aheadOf(fleet, ahead));
    await fleet.pass(10 * minuteMs);
    expect(await requestsOf(fleet)).toBeGreaterThan(0);
    expect(await requestsOf(fleet)).toBeLessThan(8);
    expect(agent.agent.health()).toMatchObject({ ready: false, message: expect.stringContaining('set the clocks') });
    ahead.ms = 0;
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'), 5000);
    expect(agent.agent.health()).toEqual({ ready: true });
  });

  it('by almost as much works, renews a few times an hour, and names the clock until it is set right', async () => {
    await using fleet = await startTestFleet({ ...openCsrFleet, authenticate: certificateUser });
    const ahead = { ms: 50 * minuteMs };
    const agent = fleet.startAgent({}, [fleet], aheadOf(fleet, ahead));
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    for (let minute = 0; minute < 60; minute += 1) await fleet.pass(minuteMs);
    const requests = await requestsOf(fleet);
    expect(requests).toBeGreaterThan(5);
    expect(requests).toBeLessThan(20);
    expect(agent.history.filter(({ state }) => state.phase === 'bootstrapping')).toHaveLength(1);
    const rotated = async () =>
      findCondition((await fleet.admin.cluster('c1'))?.status?.conditions, 'ClusterCertificateRotated');
    expect(await rotated()).toMatchObject({ status: 'False', message: expect.stringContaining('set the clocks') });
    ahead.ms = 0;
    await fleet.pass(hourMs);
    expect(await rotated()).toMatchObject({ status: 'True' });
    expect(await requestsOf(fleet)).toBeLessThan(requests + 4);
  });
});

describe('what an agent maintains on its ManagedCluster', () => {
  it('is tried again when the hub did not take it', async () => {
    await using fleet = await startCsrFleet();
    const first = await joined(fleet);
    await first.stop();
    let failures = 2;
    const connect = fleet.network.connect.bind(fleet.network);
    fleet.network.connect = (access) => {
      const transport = connect(access);
      return {
        ...transport,
        async request(request) {
          if (request.method === 'PUT' && /managedclusters\/c1(\?|$)/.test(request.path) && failures-- > 0) {
            throw new KubeError('Unavailable', 'for a moment', { status: 503 });
          }
          return transport.request(request);
        },
      };
    };
    const agent = fleet.startAgent({ spokeExternalServerUrls: ['https://member.example:6443'], spokeCaBundle: 'PEM' });
    await running(fleet, agent);
    await fleet.pass(5 * minuteMs);
    const cluster = await fleet.admin.cluster('c1');
    expect(cluster?.spec?.managedClusterClientConfigs).toMatchObject([{ url: 'https://member.example:6443' }]);
  });

  it('is restored when it was taken away, and written once', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet, fleet.startAgent({ clusterAnnotations: { 'agent.open-cluster-management.io/site': 'lab' } }));
    const clusters = fleet.hub.client.resource(managedClusters);
    const body = { metadata: { annotations: { 'agent.open-cluster-management.io/site': null } } };
    await clusters.patch('c1', { type: 'merge', body });
    await fleet.eventually(async () => {
      const { metadata } = await clusters.get('c1');
      expect(metadata?.annotations).toMatchObject({ 'agent.open-cluster-management.io/site': 'lab' });
    });
    const { metadata } = await clusters.get('c1');
    await fleet.pass(minuteMs / 2);
    expect((await clusters.get('c1')).metadata?.generation).toBe(metadata?.generation);
  });
});

describe('a renewal that the hub does not decide about', () => {
  it('is a condition of the ManagedCluster after a minute', async () => {
    await using fleet = await startTestFleet({
      ...csrFleet,
      hubDrivers: async (context) =>
        (await csrFleet.hubDrivers(context)).map((driver) => ({ ...driver, controllers: [] })),
      authenticate: certificateUser,
    });
    await joined(fleet);
    await fleet.eventually(async () => expect(await undecided(fleet)).toHaveLength(1), minuteMs);
    await fleet.pass(2 * minuteMs);
    const rotated = async () =>
      findCondition((await fleet.admin.cluster('c1'))?.status?.conditions, 'ClusterCertificateRotated');
    expect(await rotated()).toMatchObject({
      status: 'False',
      message: expect.stringContaining('waits for approval on the hub'),
    });
    await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
    await fleet.eventually(async () => expect(await rotated()).toMatchObject({ status: 'True' }));
  });
});

const addonNamespace = 'open-cluster-management-agent-addon';
const addonSecret = async ({ spoke }: TestFleet) => {
  const found = await spoke.client.resource(secrets).find(`${addonNamespace}/work-hub-kubeconfig`);
  const decoded = Object.entries(found?.data ?? {}).map(([name, value]): [string, string] => [
    name,
    Buffer.from(value, 'base64').toString(),
  ]);
  return found && Object.fromEntries(decoded);
};

/** Enables an add-on on a hub; the kubeconfig that its agent gets there. */
async function given(fleet: TestFleet, { hub }: Pick<TestFleet, 'hub'>): Promise<string> {
  const before = (await addonSecret(fleet))?.['tls.crt'];
  const addons = hub.client.resource(managedClusterAddOns);
  await addons.create({ metadata: { namespace: 'c1', name: 'work' }, spec: {} });
  const registrations = [{ type: 'kubeClient' as const, kubeClient: {} }];
  await addons.status.patch('c1/work', { type: 'merge', body: { status: { registrations } } });
  return fleet.eventually(async () => {
    await decideAll(hub.client, 'Approved', fleet.clock.now());
    const secret = await addonSecret(fleet);
    expect(secret?.['tls.crt']).toBeDefined();
    expect(secret?.['tls.crt']).not.toBe(before);
    return secret?.kubeconfig ?? '';
  });
}

const undecided = async ({ hub }: TestFleet) =>
  (await hub.client.resource(certificateSigningRequests).list()).items.filter(
    ({ status }) => !status?.conditions?.length,
  );
