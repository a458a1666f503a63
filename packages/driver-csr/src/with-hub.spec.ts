import { managedClusters } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { formatMicroTime, parseTime } from '@flotilla/kube/meta';
import { certificateUser, startTestFleet, type TestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { openCsrFleet } from './fixtures/fleet.ts';

const startFleet = () => startTestFleet({ ...openCsrFleet, authenticate: certificateUser });
const statusOf = async (fleet: TestFleet, type: string) =>
  findCondition((await fleet.admin.cluster('c1'))?.status?.conditions, type)?.status;
const becomes = (fleet: TestFleet, type: string, status: string) =>
  fleet.eventually(async () => expect(await statusOf(fleet, type)).toBe(status));
const specOf = (fleet: TestFleet, spec: object) =>
  fleet.hub.client.resource(managedClusters).patch('c1', { type: 'merge', body: { spec } });
const lease = (fleet: TestFleet) => fleet.hub.client.resource(leases).get('c1/managed-cluster-lease');

describe('an agent and the controllers of a hub', () => {
  it('[registration-agent 19.4-46] join without an administrator, and leave when one denies', async () => {
    await using fleet = await startFleet();
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    await becomes(fleet, 'ManagedClusterJoined', 'True');
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
    await specOf(fleet, { hubAcceptsClient: false });
    await becomes(fleet, 'HubAcceptedManagedCluster', 'False');
    await fleet.eventually(() => expect(agent.state.phase).toBe('joining'));
    const deniedAt = fleet.clock.now();
    await fleet.clock.advance(20 * 60_000);
    // Neither heartbeat nor status any more.
    expect(parseTime((await lease(fleet)).spec?.renewTime)).toBeLessThanOrEqual(deniedAt);
  });

  it('[registration-agent 19.10-101] is available while it beats, unknown when it stopped, and available when it is back', async () => {
    await using fleet = await startFleet();
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    await specOf(fleet, { leaseDurationSeconds: 1 });
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
    await fleet.clock.advance(10_000);
    expect(await statusOf(fleet, 'ManagedClusterConditionAvailable')).toBe('True');
    await agent.stop();
    await fleet.clock.advance(3000);
    expect(await statusOf(fleet, 'ManagedClusterConditionAvailable')).toBe('True');
    await fleet.clock.advance(3000);
    expect(await statusOf(fleet, 'ManagedClusterConditionAvailable')).toBe('Unknown');
    fleet.startAgent();
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
  });

  it('[registration-hub 86] meet again when the cluster is torn out of the hub and made anew while the agent runs', async () => {
    await using fleet = await startFleet();
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
    const clusters = fleet.hub.client.resource(managedClusters);
    const { metadata } = await clusters.get('c1');
    await clusters.delete('c1');
    await clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: null } } }).catch(() => {});
    await fleet.eventually(async () => expect((await clusters.find('c1'))?.metadata.uid).not.toBe(metadata.uid));
    if (!(await clusters.find('c1'))) {
      await clusters.create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } }).catch(() => {});
    }
    await becomes(fleet, 'HubAcceptedManagedCluster', 'True');
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
    expect((await clusters.get('c1')).metadata.uid).not.toBe(metadata.uid);
  });

  it('[registration-agent 19.10-104] agree about the time again when the agent beats after a heartbeat of long ago', async () => {
    await using fleet = await startFleet();
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    await becomes(fleet, 'ManagedClusterConditionClockSynced', 'True');
    await agent.stop();
    const current = await lease(fleet);
    const renewTime = formatMicroTime(fleet.clock.now() - 301_000);
    await fleet.hub.client.resource(leases).replace({ ...current, spec: { ...current.spec, renewTime } });
    await becomes(fleet, 'ManagedClusterConditionClockSynced', 'False');
    // Availability depends on when heartbeats arrive at the hub, so a wrong clock alone changes nothing about it.
    expect(await statusOf(fleet, 'ManagedClusterConditionAvailable')).toBe('True');
    await fleet.clock.advance(6 * 60_000);
    expect(await statusOf(fleet, 'ManagedClusterConditionAvailable')).toBe('Unknown');
    fleet.startAgent();
    await becomes(fleet, 'ManagedClusterConditionClockSynced', 'True');
    await becomes(fleet, 'ManagedClusterConditionAvailable', 'True');
  });
});
