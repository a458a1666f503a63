import assert from 'node:assert/strict';
import type { ConformanceCase, Suite } from './suite.ts';

/** From asking to being joined, with detours. */
export function joining({
  options,
  scenario,
  isJoined,
  hasBootstrapped,
  asks,
  granted,
  runs,
  join,
}: Suite): ConformanceCase[] {
  const { refuse } = options;
  return [
    scenario('bootstraps: asks, is accepted, stores its credentials and joins, without a restart', async (fleet) => {
      await join(fleet);
      const stored = await fleet.stored();
      assert.equal(stored?.['cluster-name'], 'c1');
      assert.equal(stored['agent-name'], 'a1');
    }),
    scenario('[registration-agent 19.4-40] does not use credentials of another cluster name', async (fleet) => {
      const first = await join(fleet);
      await first.stop();
      const second = fleet.startAgent({ clusterName: 'c2' });
      await asks(fleet, 'c2');
      assert.ok(hasBootstrapped(second), 'it asked for credentials of its own');
      await fleet.admin.accept('c2');
      await fleet.eventually(async () => {
        await options.grant(fleet, 'c2');
        assert.ok(await isJoined(fleet, 'c2'), 'joined under the new name');
      });
      assert.equal((await fleet.stored())?.['cluster-name'], 'c2');
    }),
    scenario('is denied, then accepted', async (fleet) => {
      const agent = fleet.startAgent();
      await asks(fleet);
      if (refuse) await fleet.eventually(() => refuse(fleet, 'c1'));
      await fleet.clock.advance(60_000);
      assert.equal(await isJoined(fleet), false);
      await fleet.admin.accept('c1');
      await granted(fleet);
      await runs(fleet, agent, 5000);
    }),
    scenario('is accepted, then denied, then accepted again', async (fleet) => {
      const agent = await join(fleet);
      await fleet.admin.deny('c1');
      await fleet.eventually(() => assert.equal(agent.state.phase, 'joining'));
      await fleet.admin.accept('c1');
      await runs(fleet, agent, 5000);
    }),
    scenario('survives a hub that goes away in the middle of a join', async (fleet) => {
      fleet.network.setConnected(false);
      const agent = fleet.startAgent();
      await fleet.clock.advance(30_000);
      fleet.network.setConnected(true);
      await asks(fleet);
      fleet.network.setConnected(false);
      await fleet.admin.accept('c1');
      await fleet.clock.advance(30_000);
      fleet.network.setConnected(true);
      await granted(fleet);
      await runs(fleet, agent, 5000);
    }),
  ];
}
