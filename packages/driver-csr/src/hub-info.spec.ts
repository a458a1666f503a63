import { managedClusterAddOns } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import {
  type ConfigMap,
  clusterRoleBindings,
  configMaps,
  leases,
  namespaces,
  roleBindings,
  secrets,
} from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { certificateUser, startTestFleet, type TestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it, vi } from 'vitest';
import { csrFleet, joined, running } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const oldCa = pem('old');
const newCa = pem('new');
const firstServer = 'https://hub.example:6443';
const newServer = 'https://new.example:6443';
const caOf = (kubeconfig = '') => {
  const data = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  return Buffer.from(data, 'base64').toString();
};

async function startFleet(): Promise<TestFleet> {
  const fleet = await startTestFleet({ ...csrFleet, authenticate: certificateUser });
  fleet.bootstrap.set({ ca: oldCa });
  return fleet;
}

/** Says in kube-public what the hub's CA is, as `flotilla init` and kubeadm do. */
async function publish(fleet: TestFleet, ca: string, server = firstServer): Promise<void> {
  const { client } = fleet.hub;
  const kubeconfig = JSON.stringify({
    clusters: [{ name: '', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
  });
  const metadata = { name: 'cluster-info', namespace: 'kube-public' };
  const info: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { kubeconfig } };
  await client.resource(configMaps).apply(info, { fieldManager: 'test', force: true });
}

describe('an agent whose hub gets another CA', () => {
  it('trusts the new one beside the old before it is used, stores that, and needs no new credentials when it is', async () => {
    await using fleet = await startFleet();
    const agent = await joined(fleet);
    const certificate = (await fleet.stored())?.['tls.crt'];
    await publish(fleet, oldCa + newCa);
    await fleet.eventually(async () => expect(caOf((await fleet.stored())?.kubeconfig)).toBe(oldCa + newCa), 60_000);
    await fleet.eventually(() => expect(fleet.network.lastAccess()?.ca).toBe(oldCa + newCa), 60_000);

    // The administrator exchanges the CA, in the bootstrap kubeconfig too, and says that the old one is over.
    fleet.bootstrap.set({ ca: newCa });
    await publish(fleet, newCa);
    await fleet.eventually(async () => expect(caOf((await fleet.stored())?.kubeconfig)).toBe(newCa), 60_000);
    expect((await fleet.stored())?.['tls.crt']).toBe(certificate);
    expect(agent.history.filter(({ state }) => state.phase === 'bootstrapping')).toHaveLength(1);
  });

  it('knows after a restart what was announced, although the bootstrap kubeconfig is still the old one', async () => {
    await using fleet = await startFleet();
    const first = await joined(fleet);
    await publish(fleet, newCa);
    await fleet.eventually(async () => expect(caOf((await fleet.stored())?.kubeconfig)).toBe(oldCa + newCa), 60_000);
    await first.stop();
    const second = fleet.startAgent();
    await running(fleet, second);
    expect(second.history.map(({ state }) => state.phase)).toEqual(['starting', 'joining', 'running']);
    expect(caOf((await fleet.stored())?.kubeconfig)).toBe(oldCa + newCa);
  });

  it('trusts the new one also while its bootstrap kubeconfig cannot be read, and drops the old one when it can', async () => {
    await using fleet = await startFleet();
    const agent = await joined(fleet);
    const certificate = (await fleet.stored())?.['tls.crt'];
    const readable = fleet.bootstrap.current;
    fleet.bootstrap.current = async () => {
      throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
    };
    await publish(fleet, newCa);
    await fleet.eventually(async () => expect(caOf((await fleet.stored())?.kubeconfig)).toBe(oldCa + newCa), 60_000);

    fleet.bootstrap.current = readable;
    fleet.bootstrap.set({ ca: newCa, authorization: 'Bearer ended' });
    await fleet.pass(15 * 60_000);
    expect(caOf((await fleet.stored())?.kubeconfig)).toBe(newCa);
    expect((await fleet.stored())?.['tls.crt']).toBe(certificate);
    expect(agent.state.phase).toBe('running');
  });

  it('stores the new one also when the first attempts to write its Secret fail', async () => {
    await using fleet = await startFleet();
    await joined(fleet);
    const { transport } = fleet.spoke.client;
    const request = transport.request.bind(transport);
    let failures = 0;
    transport.request = async (call) => {
      if (call.method === 'PUT' && call.path.includes('hub-kubeconfig-secret') && failures < 2) {
        failures += 1;
        throw new KubeError('Unavailable', 'for a moment', { status: 503 });
      }
      return request(call);
    };
    await publish(fleet, newCa);
    await fleet.eventually(() => expect(failures).toBe(2), 60_000);
    await fleet.pass(15 * 60_000);
    expect(caOf((await fleet.stored())?.kubeconfig)).toBe(oldCa + newCa);
  });

  it('hands the new one on to its add-ons, with the credentials that they have', async () => {
    await using fleet = await startFleet();
    await joined(fleet);
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: 'addons' } });
    const addons = fleet.hub.client.resource(managedClusterAddOns);
    await addons.create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    const status = { namespace: 'addons', registrations: [{ type: 'kubeClient', kubeClient: {} }] };
    await addons.status.patch('c1/work', { type: 'merge', body: { status } });
    const stored = async () => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      const { data = {} } = await fleet.spoke.client.resource(secrets).get('addons/work-hub-kubeconfig');
      return { ca: caOf(Buffer.from(data.kubeconfig ?? '', 'base64').toString()), certificate: data['tls.crt'] };
    };
    const { ca, certificate } = await fleet.eventually(stored);
    expect(ca).toBe(oldCa);
    await publish(fleet, newCa);
    await fleet.eventually(async () => expect(await stored()).toEqual({ ca: oldCa + newCa, certificate }), 60_000);
  });

  it.each([true, false])(
    'stays as it is on a hub that publishes nothing, whether it may read or not: %s',
    async (mayRead) => {
      await using fleet = await startFleet();
      if (!mayRead) await fleet.hub.client.resource(roleBindings).delete('kube-public/cluster-info');
      const agent = await joined(fleet);
      const before = await fleet.stored();
      fleet.network.refusals.length = 0;
      await fleet.clock.advance(30 * 60_000);
      expect(agent.state.phase).toBe('running');
      expect(await fleet.stored()).toEqual(before);
      // It asks rarely.
      expect(fleet.network.refusals.length).toBeLessThan(mayRead ? 1 : 5);
    },
  );
});

describe('an agent whose hub gets another address', () => {
  /** An agent that runs and knows the other address. */
  async function joinedAndInformed(fleet: TestFleet) {
    const agent = await joined(fleet);
    await publish(fleet, oldCa, newServer);
    await fleet.eventually(async () => expect((await fleet.stored())?.['announced-server']).toBe(newServer), 60_000);
    return agent;
  }
  const age = async (fleet: TestFleet) => {
    const { spec } = await fleet.hub.client.resource(leases).get('c1/managed-cluster-lease');
    return fleet.clock.now() - (parseTime(spec?.renewTime) ?? 0);
  };

  it('continues there when the first one does not answer any more, also after a restart', async () => {
    await using fleet = await startFleet();
    const agent = await joinedAndInformed(fleet);
    fleet.network.deadAddresses.add(firstServer);
    await fleet.clock.advance(10 * 60_000);
    expect(await age(fleet)).toBeLessThan(90_000);
    expect(agent.state.phase).toBe('running');
    await agent.stop();
    const second = fleet.startAgent();
    await fleet.eventually(() => expect(second.state.phase).toBe('running'), 5000);
    await fleet.clock.advance(2 * 60_000);
    expect(await age(fleet)).toBeLessThan(90_000);
    expect(second.history.map(({ state }) => state.phase)).not.toContain('bootstrapping');
  });

  /** Makes the hub refuse the agent, and accept it again. */
  const refusals: Record<string, (fleet: TestFleet) => Promise<() => Promise<void>>> = {
    async 'its credentials'({ network }) {
      network.revoke(() => true);
      return async () => network.revoke(() => false);
    },
    async 'its permissions'({ hub }) {
      const [shared, own] = [hub.client.resource(clusterRoleBindings), hub.client.resource(roleBindings)];
      const [name, namespace] = ['open-cluster-management:managedcluster:c1', 'c1'];
      const [first, second] = [await shared.get(name), await own.get('c1/registration')];
      await shared.delete(name);
      await own.delete('c1/registration');
      return async () => {
        await shared.create({ ...first, metadata: { name } });
        await own.create({ ...second, metadata: { name: 'registration', namespace } });
      };
    },
  };

  it.each(Object.entries(refusals))(
    'is found there by an agent that bootstraps because the hub refused %s for a while',
    async (_, refuse) => {
      await using fleet = await startFleet();
      const agent = await joinedAndInformed(fleet);
      fleet.network.deadAddresses.add(firstServer);
      await fleet.clock.advance(10 * 60_000);
      const certificate = (await fleet.stored())?.['tls.crt'];
      const accept = await refuse(fleet);
      await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
      await accept();
      await fleet.eventually(() => expect(agent.state.phase).toBe('running'), 5000);
      expect((await fleet.stored())?.['tls.crt']).toBe(certificate);
      expect(await age(fleet)).toBeLessThan(90_000);
    },
  );

  it('asks for new credentials there when the hub accepts those at hand no more', async () => {
    await using fleet = await startFleet();
    const agent = await joinedAndInformed(fleet);
    fleet.network.deadAddresses.add(firstServer);
    await fleet.clock.advance(10 * 60_000);
    const certificate = (await fleet.stored())?.['tls.crt'];
    fleet.network.revokeUsed();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await fleet.eventually(async () => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      expect(agent.state.phase).toBe('running');
    }, 5000);
    expect((await fleet.stored())?.['tls.crt']).not.toBe(certificate);
  });

  it('keeps its credentials when the bootstrap kubeconfig follows, and stores the address', async () => {
    await using fleet = await startFleet();
    const agent = await joinedAndInformed(fleet);
    const before = await fleet.stored();
    fleet.bootstrap.set({ server: newServer });
    await fleet.eventually(async () => expect((await fleet.stored())?.kubeconfig).toContain(newServer));
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    expect((await fleet.stored())?.['tls.crt']).toBe(before?.['tls.crt']);
    expect(agent.history.filter(({ state }) => state.phase === 'bootstrapping')).toHaveLength(1);
    await fleet.eventually(async () => expect(await fleet.stored()).not.toHaveProperty('announced-server'), 60_000);
  });

  it('is not the address of another hub that the cluster moves to: the bootstrap credentials of that one are not sent there', async () => {
    await using fleet = await startFleet();
    const secondServer = 'https://second.example:6443';
    const second = await fleet.startHub(secondServer);
    await joinedAndInformed(fleet);
    second.network.deadAddresses.add(secondServer);
    const connect = vi.spyOn(fleet.network, 'connect');
    fleet.bootstrap.set({ server: secondServer });
    await fleet.clock.advance(10 * 60_000);
    const accesses = await Promise.all(connect.mock.calls.map(([source]) => source.current()));
    expect(accesses.filter(({ authorization }) => authorization !== undefined)).toEqual([]);

    second.network.deadAddresses.clear();
    await fleet.eventually(async () => expect(await second.admin.cluster('c1')).toBeDefined(), 5000);
    await second.admin.accept('c1');
    await fleet.eventually(async () => {
      await decideAll(second.hub.client, 'Approved', fleet.clock.now());
      expect((await fleet.stored())?.kubeconfig).toContain(secondServer);
    });
    expect(await fleet.stored()).not.toHaveProperty('announced-server');
  });
});
