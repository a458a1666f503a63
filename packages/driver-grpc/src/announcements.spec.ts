import type { HubAnnouncement } from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import { certificateUser, startTestFleet, type TestFleet } from '@flotilla/registration-core/testing';
import { ReplaySubject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { announcingFleet, decideAll } from './fixtures/fleet.ts';

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const oldCa = pem('old');
const newCa = pem('new');

/** A fleet whose agent has joined with the old CA. */
async function startFleet() {
  const announcements = new ReplaySubject<HubAnnouncement>(1);
  const fleet = await startTestFleet({ ...announcingFleet(announcements), authenticate: certificateUser });
  fleet.bootstrap.set({ ca: oldCa });
  const running = async (agent = fleet.startAgent()) => {
    await fleet.eventually(async () => {
      if (!(await fleet.admin.cluster('c1'))) throw new Error('the cluster has not asked to join');
      await fleet.admin.accept('c1');
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      if (agent.state.phase !== 'running') throw new Error(`the agent is ${agent.state.phase}`);
    });
    return agent;
  };
  const storedCa = async () => atob(/caData: (\S+)/.exec((await fleet.stored())?.['config.yaml'] ?? '')?.[1] ?? '');
  const announce = (ca: string) => announcements.next({ caData: btoa(ca) });
  return { fleet, running, storedCa, announce };
}

describe('an agent whose gRPC server gets another CA', () => {
  it('trusts the announced one beside that of its bootstrap configuration, stores it, and keeps its certificate', async () => {
    const { fleet, running, storedCa, announce } = await startFleet();
    await using _ = fleet;
    const agent = await running();
    const certificate = (await fleet.stored())?.['tls.crt'];
    announce(oldCa + newCa);
    await fleet.eventually(async () => expect(await storedCa()).toBe(oldCa + newCa));
    await fleet.eventually(() => expect(fleet.network.lastAccess()?.ca).toBe(oldCa + newCa));
    // The old one is over when neither the hub nor the bootstrap configuration names it.
    announce(newCa);
    fleet.bootstrap.set({ ca: newCa });
    await fleet.eventually(async () => expect(await storedCa()).toBe(newCa));
    expect((await fleet.stored())?.['tls.crt']).toBe(certificate);
    expect(agent.history.filter(({ state }) => state.phase === 'bootstrapping')).toHaveLength(1);
  });

  it.each<[string, (fleet: TestFleet) => void]>([
    [
      'its bootstrap configuration cannot be read',
      (fleet) => {
        fleet.bootstrap.current = async () => {
          throw new KubeError('Config', 'the bootstrap configuration does not exist');
        };
      },
    ],
    [
      'the first attempt to store it fails',
      ({ spoke: { client } }) => {
        const request = client.transport.request.bind(client.transport);
        let failures = 1;
        client.transport.request = async (call) => {
          const isStored = call.method === 'PUT' && call.path.includes('hub-kubeconfig-secret');
          if (isStored && failures-- > 0) throw new KubeError('Unavailable', 'for a moment', { status: 503 });
          return request(call);
        };
      },
    ],
  ])('trusts the announced one also when %s', async (_, hinder) => {
    const { fleet, running, storedCa, announce } = await startFleet();
    await using _fleet = fleet;
    await running();
    hinder(fleet);
    announce(newCa);
    await fleet.eventually(async () => expect(await storedCa()).toBe(oldCa + newCa));
  });

  it('uses the newest announcement while its Secret cannot be written, and stores it afterwards', async () => {
    const { fleet, running, storedCa, announce } = await startFleet();
    await using _ = fleet;
    await running();
    const { transport } = fleet.spoke.client;
    const request = transport.request.bind(transport);
    let [failures, isWritable] = [0, false];
    transport.request = async (call) => {
      if (isWritable || call.method !== 'PUT' || !call.path.includes('hub-kubeconfig-secret')) return request(call);
      failures += 1;
      throw new KubeError('Unavailable', 'for an hour', { status: 503 });
    };
    announce(oldCa + newCa);
    await fleet.eventually(() => expect(failures).toBeGreaterThan(1));
    announce(oldCa + pem('newest'));
    await fleet.eventually(() => expect(fleet.network.lastAccess()?.ca).toBe(oldCa + pem('newest')));
    isWritable = true;
    await fleet.eventually(async () => expect(await storedCa()).toBe(oldCa + pem('newest')));
  });

  it('knows after a restart what was announced, although the bootstrap configuration is still the old one', async () => {
    const { fleet, running, storedCa, announce } = await startFleet();
    await using _ = fleet;
    const first = await running();
    announce(newCa);
    await fleet.eventually(async () => expect(await storedCa()).toBe(oldCa + newCa));
    await first.stop();
    const second = await running();
    expect(fleet.network.lastAccess()?.ca).toBe(oldCa + newCa);
    expect(second.history.map(({ state }) => state.phase)).toEqual(['starting', 'joining', 'running']);
  });

  it('keeps what was announced while a server announces nothing, such as one of OCM', async () => {
    const { fleet, running, storedCa, announce } = await startFleet();
    await using _ = fleet;
    const first = await running();
    announce(newCa);
    await fleet.eventually(async () => expect(await storedCa()).toBe(oldCa + newCa));
    await first.stop();
    announce('');
    await running();
    await fleet.pass(20 * 60_000);
    expect(await storedCa()).toBe(oldCa + newCa);
  });
});
