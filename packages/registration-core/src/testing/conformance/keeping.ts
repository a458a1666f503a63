import assert from 'node:assert/strict';
import { createKubeClient } from '@flotilla/kube';
import { checkOwnCluster } from '../../kube-hub/index.ts';
import type { RunningAgent, TestFleet } from '../test-fleet.ts';
import type { ConformanceCase, Suite } from './suite.ts';

/** Credentials in the course of time. */
export function keeping(suite: Suite): ConformanceCase[] {
  const { options, scenario, hasBootstrapped, driver, runs, join } = suite;
  const { renewalAfterMs } = options;
  return [
    ...(renewalAfterMs === undefined ? [] : [renews(suite, renewalAfterMs)]),
    ...(options.refreshes ? [refreshes(suite)] : []),
    scenario('gets new credentials when the hub refuses those that it has', async (fleet) => {
      const agent = await join(fleet);
      const since = historySince(agent);
      fleet.network.revokeAll();
      await fleet.eventually(() => assert.ok(hasBootstrapped({ history: since() }), 'it asked anew'), 5000);
      fleet.network.revokeUsed();
      const isReported = since().some(({ health }) => !health.ready);
      assert.ok(isReported, 'the health endpoint reported it');
      await runs(fleet, agent);
    }),
    scenario('comes back with the credentials that it has after an outage of authentication', async (fleet) => {
      const agent = await join(fleet);
      const since = historySince(agent);
      fleet.bootstrap.set({ authorization: 'Bearer ended' });
      fleet.network.revoke(() => true);
      await fleet.eventually(() => assert.ok(hasBootstrapped({ history: since() }), 'it asked anew'), 5000);
      assert.ok(
        since().some(({ health }) => !health.ready),
        'the health endpoint reported it',
      );
      fleet.network.revoke(() => false);
      await fleet.eventually(() => assert.equal(agent.state.phase, 'running'), 5000);
      assert.deepEqual(agent.agent.health(), { ready: true });
    }),
    scenario('asks anew where the hub is when its endpoint changes, and stores where that is', async (fleet) => {
      const agent = await join(fleet);
      const since = historySince(agent);
      fleet.bootstrap.set({ clusterName: 'renamed' });
      await fleet.eventually(() => assert.ok(hasBootstrapped({ history: since() }), 'it asked anew'));
      await runs(fleet, agent);
      const stored = await fleet.stored();
      assert.equal((await driver(fleet)).endpointOf(stored ?? {})?.name, 'renamed');
      await agent.stop();
      const restarted = fleet.startAgent();
      await runs(fleet, restarted);
      assert.equal(hasBootstrapped(restarted), false, 'a restart finds good credentials');
    }),
    scenario(
      'reports its connection truthfully: while it works, when it is cut, and when it is refused',
      async (fleet) => {
        await join(fleet);
        await using connection = await connectionOf(suite, fleet);
        assert.deepEqual(await connection.check(), { connected: true });
        fleet.network.setConnected(false);
        assert.equal((await connection.check()).connected, false);
        fleet.network.setConnected(true);
        assert.deepEqual(await connection.check(), { connected: true });
        fleet.network.revokeAll();
        const refused = await connection.check();
        assert.ok(!refused.connected);
        assert.equal(refused.reason, 'Unauthorized');
      },
    ),
  ];
}

const renews = ({ scenario, join }: Suite, renewalAfterMs: number): ConformanceCase =>
  scenario('renews its credentials, and no request fails meanwhile', async (fleet) => {
    const agent = await join(fleet);
    const before = await fleet.stored();
    fleet.network.refusals.length = 0;
    await fleet.eventually(async () => {
      assert.notDeepEqual(await fleet.stored(), before);
    }, 60_000);
    await fleet.pass(renewalAfterMs);
    assert.equal(agent.state.phase, 'running');
    assert.deepEqual(fleet.network.refusals, []);
  });

const refreshes = ({ scenario, hasBootstrapped, join }: Suite): ConformanceCase =>
  scenario('refreshes credentials that the hub refuses, and does not bootstrap for that', async (fleet) => {
    const agent = await join(fleet);
    const since = historySince(agent);
    fleet.network.refusals.length = 0;
    fleet.network.revokeUsed();
    await fleet.pass(5 * 60_000);
    assert.equal(agent.state.phase, 'running');
    assert.deepEqual(fleet.network.refusals, [], 'no request failed');
    assert.equal(hasBootstrapped({ history: since() }), false, 'it did not ask the hub');
  });

const historySince = (agent: RunningAgent) => {
  const before = agent.history.length;
  return () => agent.history.slice(before);
};

/** A connection with the credentials that the agent has stored. */
export async function connectionOf({ driver }: Suite, fleet: TestFleet) {
  const tested = await driver(fleet);
  const stored = (await fleet.stored()) ?? {};
  const endpoint = tested.endpointOf(stored);
  assert.ok(endpoint, 'the stored credentials name the hub');
  const connection = tested.open(endpoint, stored);
  const hub = createKubeClient({ transport: connection.transport, clock: fleet.clock });
  const { signal } = new AbortController();
  return {
    hub,
    check: () => tested.checkConnection?.(hub, signal) ?? checkOwnCluster(hub, 'c1', signal),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
