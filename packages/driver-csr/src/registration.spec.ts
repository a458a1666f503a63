import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { isConditionTrue, KubeError, kubeconfigAccess } from '@flotilla/kube';
import { certificateSigningRequests, namespaces, secrets } from '@flotilla/kube/kinds';
import { certificateUser, startTestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet, joined, running } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const startCsrFleet = () => startTestFleet({ ...csrFleet, authenticate: certificateUser });
const secretKey = 'open-cluster-management-agent/hub-kubeconfig-secret';

describe('an agent that registers by certificate requests', () => {
  it('[registration-agent 19.4-35] stores what OCM stores and says who it is', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    await fleet.eventually(async () => expect(await fleet.stored()).toHaveProperty('join-record'));
    const secret = await fleet.spoke.client.resource(secrets).get(secretKey);
    expect(Object.keys(secret.data ?? {}).sort()).toEqual([
      'agent-name',
      'cluster-name',
      // This and registration-auth are not of OCM, whose agents leave them alone.
      'join-record',
      'kubeconfig',
      'registration-auth',
      'tls.crt',
      'tls.key',
    ]);
    expect(secret.type).toBe('Opaque');
    const cluster = await fleet.admin.cluster('c1');
    const kubeSystem = await fleet.spoke.client.resource(namespaces).get('kube-system');
    expect(cluster?.metadata?.annotations).toEqual({
      'agent.open-cluster-management.io/cluster-identity': kubeSystem.metadata?.uid,
    });
    await fleet.eventually(async () => {
      const status = (await fleet.admin.cluster('c1'))?.status;
      expect(isConditionTrue(status?.conditions, 'ManagedClusterConditionAvailable')).toBe(true);
      expect(isConditionTrue(status?.conditions, 'ManagedClusterJoined')).toBe(true);
    });
  });

  it('[registration-agent 19.4-39] goes on after a restart without a new request, also from a kubeconfig in other words', async () => {
    await using fleet = await startCsrFleet();
    const first = await joined(fleet);
    await first.stop();
    const handle = fleet.spoke.client.resource(secrets);
    const secret = await handle.get(secretKey);
    const kubeconfig = Buffer.from(secret.data?.kubeconfig ?? '', 'base64').toString();
    const otherWords = Buffer.from(`${kubeconfig}preferences: {}\n`).toString('base64');
    await handle.replace({ ...secret, data: { ...secret.data, kubeconfig: otherWords } });
    fleet.bootstrap.set({ authorization: 'Bearer expired' });
    const before = (await fleet.hub.client.resource(certificateSigningRequests).list()).items.length;
    const second = fleet.startAgent({ clusterName: '', agentName: '' });
    await running(fleet, second);
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toHaveLength(before);
    expect((await fleet.stored())?.kubeconfig).toBe(`${kubeconfig}preferences: {}\n`);
  });

  it.each([
    ['credentials that the hub does not know', { authorization: 'Bearer wrong' }],
    ['a server that does not answer', { server: 'https://dead:6443' }],
  ])('asks at once when bootstrap access with %s is replaced by a good one', async (_, bad) => {
    await using fleet = await startCsrFleet();
    const { authorization = '', server } = await fleet.bootstrap.current();
    fleet.bootstrap.set(bad);
    if ('server' in bad) fleet.network.setConnected(false);
    fleet.startAgent();
    await fleet.pass(10 * 60_000);
    fleet.network.setConnected(true);
    fleet.bootstrap.set({ authorization, server });
    await fleet.clock.settle();
    const fixedAt = fleet.clock.now();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined(), 100);
    expect(fleet.clock.now() - fixedAt).toBeLessThan(1000);
  });

  it('asks at once when bootstrap access that could not be read appears', async () => {
    await using fleet = await startCsrFleet();
    const { current } = fleet.bootstrap;
    let isThere = false;
    Object.assign(fleet.bootstrap, {
      current: () => (isThere ? current() : Promise.reject(new KubeError('Config', 'there is no such file'))),
    });
    fleet.startAgent();
    await fleet.pass(10 * 60_000);
    isThere = true;
    fleet.bootstrap.set({});
    const fixedAt = fleet.clock.now();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined(), 100);
    expect(fleet.clock.now() - fixedAt).toBeLessThan(1000);
  });

  it('[registration-agent 19.4-37] asks for nothing with a bad bootstrap credential, and joins when it is fixed', async () => {
    await using fleet = await startCsrFleet();
    fleet.bootstrap.set({ authorization: 'Bearer wrong' });
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await fleet.clock.advance(60_000);
    expect(await fleet.admin.cluster('c1')).toBeUndefined();
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toEqual([]);
    fleet.bootstrap.set({ authorization: 'Bearer bootstrapper' });
    await joined(fleet, agent);
  });

  const lost: Record<string, [(fleet: Awaited<ReturnType<typeof startCsrFleet>>) => Promise<void> | void, string]> = {
    '[registration-agent 19.4-41] the hub is called something else': [
      (fleet) => fleet.bootstrap.set({ clusterName: 'new-hub' }),
      'BootstrapChanged',
    ],
    '[registration-agent 19.4-43] the hub is elsewhere': [
      (fleet) => fleet.bootstrap.set({ server: 'https://elsewhere:6443' }),
      'BootstrapChanged',
    ],
    'the CA of the hub is another': [(fleet) => fleet.bootstrap.set({ ca: 'another' }), 'BootstrapChanged'],
    'the secret with the credentials is deleted': [
      (fleet) => fleet.spoke.client.resource(secrets).delete(secretKey),
      'SecretDeleted',
    ],
    '[registration-agent 19.4-44] the certificate ends while the hub is away': [
      async (fleet) => {
        fleet.network.setConnected(false);
        await fleet.clock.advance(3_700_000);
        fleet.network.setConnected(true);
      },
      'Expired',
    ],
  };
  it.each(Object.entries(lost))('asks again, without a restart, when %s', async (_, [lose, reason]) => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const before = await fleet.stored();
    const reasons: string[] = [];
    agent.agent.state$.subscribe((state) => {
      if (state.phase === 'bootstrapping') reasons.push(state.reason);
    });
    await lose(fleet);
    await fleet.eventually(() => expect(reasons).toContain(reason));
    await running(fleet, agent);
    expect((await fleet.stored())?.['tls.crt']).not.toBe(before?.['tls.crt']);
  });

  it('[registration-agent 19.4-36, 19.4-42] joins at the right address when the wrong one is corrected', async () => {
    await using fleet = await startCsrFleet();
    fleet.network.setConnected(false);
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    fleet.bootstrap.set({ server: 'https://right:6443', proxyUrl: 'http://proxy:3128' });
    fleet.network.setConnected(true);
    await joined(fleet, agent);
    // The proxy of the bootstrap kubeconfig is that of the hub kubeconfig.
    expect((await fleet.stored())?.kubeconfig).toContain(
      'proxy-url: http://proxy:3128\n    server: https://right:6443',
    );
  });

  it('asks again when it was cut off until after its certificate was issued and had ended', async () => {
    await using fleet = await startCsrFleet();
    const agent = fleet.startAgent();
    const requests = fleet.hub.client.resource(certificateSigningRequests);
    const first = await fleet.eventually(async () => {
      const [request] = (await requests.list()).items;
      if (!request) throw new Error('no request yet');
      return request;
    });
    await fleet.admin.accept('c1');
    // Nothing is checked until the certificate has expired.
    fleet.network.setConnected(false);
    await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
    await fleet.clock.advance(2_000_000);
    const issued = await requests.get(first.metadata?.name ?? '');
    expect(issued.status?.certificate).toBeDefined();
    await fleet.clock.advance(1_650_000);
    fleet.network.setConnected(true);
    await running(fleet, agent);
    const names = (await requests.list()).items.map(({ metadata }) => metadata?.name);
    expect(names).not.toEqual([first.metadata?.name]);
    expect(isConditionTrue((await fleet.admin.cluster('c1'))?.status?.conditions, 'HubAcceptedManagedCluster')).toBe(
      true,
    );
  });

  it('[registration-agent 19.5-54] copies its credentials into a directory where other programs find them, renewed ones too', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-'));
    await using fleet = await startCsrFleet();
    const copied = async () =>
      Object.fromEntries(
        await Promise.all(
          (await readdir(directory.path)).map(async (name) => [
            name,
            await readFile(join(directory.path, name), 'utf8'),
          ]),
        ),
      );
    /** What the agent remembers for itself is not for others. */
    const credentials = async () => {
      const { 'join-record': _record, 'registration-auth': _type, ...rest } = (await fleet.stored()) ?? {};
      return rest;
    };
    const agent = fleet.startAgent({ hubKubeconfigDir: directory.path });
    await joined(fleet, agent);
    await fleet.eventually(async () => expect(await copied()).toEqual(await credentials()));
    const access = kubeconfigAccess({ files: join(directory.path, 'kubeconfig'), clock: fleet.clock, env: {} });
    const { server, clientCertificate } = await access.current();
    access.close();
    const { 'tls.crt': certificate, 'tls.key': key } = (await fleet.stored()) ?? {};
    expect({ server, clientCertificate }).toEqual({
      server: 'https://hub.example:6443',
      clientCertificate: { certificate, key },
    });
    await fleet.eventually(async () => expect((await fleet.stored())?.['tls.crt']).not.toBe(certificate), 60_000);
    await fleet.eventually(async () => expect(await copied()).toEqual(await credentials()));
    // Names outlive the Secret in the files.
    await agent.stop();
    await fleet.spoke.client.resource(secrets).delete(secretKey);
    const next = fleet.startAgent({ clusterName: '', agentName: '', hubKubeconfigDir: directory.path });
    await running(fleet, next);
    expect(await fleet.stored()).toMatchObject({ 'cluster-name': 'c1', 'agent-name': 'a1' });
  });

  it.each([50, 95, 640])('runs as soon as it is accepted, %i s after its certificate was issued', async (seconds) => {
    await using fleet = await startCsrFleet();
    const agent = fleet.startAgent();
    await fleet.eventually(async () => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      expect((await fleet.stored())?.['tls.crt']).toBeDefined();
    });
    // The hub forbids the agent all the while, so each try is later than the one before.
    await fleet.clock.advance(seconds * 1000);
    const acceptedAt = fleet.clock.now();
    await fleet.admin.accept('c1');
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'), 100);
    expect(fleet.clock.now() - acceptedAt).toBeLessThan(2000);
  });

  it('finds its request again after a restart while it waits, without a second one', async () => {
    await using fleet = await startCsrFleet();
    const requests = fleet.hub.client.resource(certificateSigningRequests);
    const first = fleet.startAgent();
    await fleet.eventually(async () => expect((await requests.list()).items).toHaveLength(1));
    expect(Object.keys((await fleet.stored()) ?? {})).toEqual(['pending.tls.key']);
    await first.stop();
    const second = fleet.startAgent();
    await fleet.clock.advance(60_000);
    expect((await requests.list()).items).toHaveLength(1);
    await joined(fleet, second);
    expect((await requests.list()).items).toHaveLength(1);
    expect(Object.keys((await fleet.stored()) ?? {})).not.toContain('pending.tls.key');
  });

  it('[registration-agent 19.4-45] renews ten times in a row, and no request is refused', async () => {
    await using fleet = await startCsrFleet();
    // Heartbeats and reports of many hours are not what this is about.
    const agent = await joined(fleet, fleet.startAgent({ clusterHealthCheckPeriodMs: 12 * 3_600_000 }));
    const rarely = { spec: { leaseDurationSeconds: 36_000 } };
    await fleet.hub.client.resource(managedClusters).patch('c1', { type: 'merge', body: rarely });
    fleet.network.refusals.length = 0;
    const seen = new Set<string | undefined>();
    for (let step = 0; step < 400 && seen.size <= 10; step += 1) {
      await fleet.pass(2 * 60_000);
      seen.add((await fleet.stored())?.['tls.crt']);
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(agent.state.phase).toBe('running');
    expect(fleet.network.refusals).toEqual([]);
  });

  it('asks for nothing under a name that belongs to another cluster, until that is resolved', async () => {
    await using fleet = await startCsrFleet();
    const annotations = { 'agent.open-cluster-management.io/cluster-identity': 'another' };
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.create({ metadata: { name: 'c1', annotations }, spec: { hubAcceptsClient: true } });
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await fleet.clock.advance(60_000);
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toEqual([]);
    await clusters.delete('c1');
    await joined(fleet, agent);
  });
});
