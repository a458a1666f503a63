import { Annotation, Label, managedClusters } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { readRequestedSubject } from '@flotilla/registration-core/certificates';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, bootstrapUser, register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

describe('flotilla accept', () => {
  let world: CliWorld<'hub'>;
  const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
  const approvedClusters = async () => {
    const { items } = await world.planes.hub.client.resource(certificateSigningRequests).list();
    const approved = items.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Approved'));
    return approved.map(({ metadata }) => metadata?.labels?.[Label.ClusterName]);
  };
  const requestsOf = async (cluster: string) => {
    const labelSelector = `${Label.ClusterName}=${cluster}`;
    const { items } = await world.planes.hub.client.resource(certificateSigningRequests).list({ labelSelector });
    return Promise.all(
      items.map(async ({ metadata, spec, status }) => ({
        name: metadata?.name,
        fingerprint: (await readRequestedSubject(spec.request))?.keyFingerprint,
        isApproved: status?.conditions?.some(({ type }) => type === 'Approved') ?? false,
      })),
    );
  };
  beforeAll(async () => {
    world = await startWorld('hub');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('refuses a cluster that is not a hub, and says what to do [cli A43]', async () => {
    const { code, err } = await hub('accept', '--clusters', 'cluster1');
    expect([code, err]).toEqual([3, expect.stringContaining('flotilla init')]);
    await hub('init');
  });

  it('accepts exactly the requests of the cluster that is named, and again without harm [cli A38]', async () => {
    const agent = world.planes.hub.clientOf(bootstrapUser);
    for (const name of ['cluster1', 'cluster10']) {
      await register(agent, name);
      await ask(agent, name);
    }
    expect(await hub('accept', '--clusters', 'cluster1', '--dry-run')).toMatchObject({ code: 0 });
    expect(await approvedClusters()).toEqual([]);
    const first = await hub('accept', '--clusters', 'cluster1', '-o', 'json');
    expect(JSON.parse(first.out)).toEqual([
      {
        cluster: 'cluster1',
        changes: [
          expect.stringMatching(/^CSR cluster1-\w+ approved$/),
          'set hubAcceptsClient to true for managed cluster cluster1',
        ],
        dryRun: false,
      },
    ]);
    expect(JSON.parse((await hub('accept', '-c', 'cluster1', '-o', 'json')).out)[0].changes).toEqual([]);
    expect(await approvedClusters()).toEqual(['cluster1']);
    const clusters = (await world.planes.hub.client.resource(managedClusters).list()).items;
    expect(clusters.map(({ metadata, spec }) => [metadata?.name, spec?.hubAcceptsClient ?? false])).toEqual([
      ['cluster1', true],
      ['cluster10', false],
    ]);
  });

  it('lets the administrator choose when two agents claim one name [cli A41]', async () => {
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster10', 'other');
    const { code, err } = await hub('accept', '--clusters', 'cluster10');
    expect([code, err]).toEqual([3, expect.stringContaining('2 requests for different keys claim this name')]);
    const requester = 'system:open-cluster-management:cluster10:other';
    expect(await hub('accept', '--clusters', 'cluster10', '--requesters', requester)).toMatchObject({ code: 0 });
    const { out } = await hub('get', 'csr', '--clusters', 'cluster10');
    expect(out).toMatch(/cluster10:other +Approved/);
    expect(out).toMatch(/cluster10:agent +Pending/);
  });

  it('shows who repeats the common name of an agent with a key of their own, and approves the one that is named', async () => {
    const agent = world.planes.hub.clientOf(bootstrapUser);
    await register(agent, 'cluster8');
    await ask(agent, 'cluster8');
    const [genuine] = await requestsOf('cluster8');
    await ask(agent, 'cluster8');
    const [forged] = (await requestsOf('cluster8')).filter(({ name }) => name !== genuine?.name);
    const { code, err } = await hub('accept', '--clusters', 'cluster8');
    expect([code, await approvedClusters()]).toEqual([3, expect.not.arrayContaining(['cluster8'])]);
    for (const { name, fingerprint } of [genuine, forged].filter((one) => one !== undefined)) {
      expect(err).toMatch(new RegExp(`${name} +\\S+ +${bootstrapUser.name} +\\S+cluster8:agent +${fingerprint}`));
    }
    const wrong = await hub('accept', '--clusters', 'cluster8', '--csr', 'nonsense');
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('is the one that was named')]);
    const unknown = await hub('accept', '--clusters', 'cluster8', '--requesters', 'unknown');
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('is the one that was named')]);
    const { spec } = await world.planes.hub.client.resource(managedClusters).get('cluster8');
    expect(spec?.hubAcceptsClient ?? false).toBe(false);
    const later = await hub('accept', '--clusters', 'cluster8', '--csr', 'later', '--wait', '--timeout', '0');
    expect(later.code).toBe(4);
    expect((await hub('accept', '--clusters', 'cluster8', '--fingerprint', 'x')).code).toBe(2);
    expect((await hub('accept', '--clusters', 'cluster8,cluster7', '--csr', 'x')).code).toBe(2);
    const fingerprint = genuine?.fingerprint ?? '';
    expect((await hub('accept', '--clusters', 'cluster8', '--fingerprint', fingerprint)).code).toBe(0);
    const approved = (await requestsOf('cluster8')).filter(({ isApproved }) => isApproved);
    expect(approved.map(({ name }) => name)).toEqual([genuine?.name]);
  });

  it('leaves the requests of a cluster alone that has joined and reports, and says how to approve one', async () => {
    const { client } = world.planes.hub;
    const agent = world.planes.hub.clientOf(bootstrapUser);
    await register(agent, 'cluster9');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const joined = { type: 'ManagedClusterJoined', status: 'True', reason: 'x', message: '', lastTransitionTime };
    const status = { conditions: [joined] };
    await client.resource(managedClusters).status.patch('cluster9', { type: 'merge', body: { status } });
    await ask(agent, 'cluster9');
    const [request] = await requestsOf('cluster9');
    const { code, err } = await hub('accept', '--clusters', 'cluster9');
    expect([code, err]).toEqual([0, expect.stringContaining(`CSR ${request?.name} was not approved`)]);
    expect(await approvedClusters()).not.toContain('cluster9');
    expect((await hub('accept', '--clusters', 'cluster9', '--csr', request?.name ?? '')).code).toBe(0);
    expect(await approvedClusters()).toContain('cluster9');
  });

  it('refuses the name of a system namespace', async () => {
    const { code, err } = await hub('accept', '--clusters', 'kube-system');
    expect([code, err]).toEqual([2, expect.stringContaining('"kube-system" cannot be the name of a cluster')]);
  });

  it('approves nothing of another cluster than the one that holds the name', async () => {
    const agent = world.planes.hub.clientOf(bootstrapUser);
    await register(agent, 'cluster7', { [clusterIdentityAnnotation]: 'uid-1' });
    await ask(agent, 'cluster7', 'thief', 'uid-2');
    expect((await hub('accept', '--clusters', 'cluster7')).code).toBe(3);
    expect(await approvedClusters()).not.toContain('cluster7');
    await ask(agent, 'cluster7', 'agent', 'uid-1');
    expect((await hub('accept', '--clusters', 'cluster7')).code).toBe(0);
    const { out } = await hub('get', 'csr', '--clusters', 'cluster7');
    expect(out).toMatch(/cluster7:agent +Approved/);
    expect(out).toMatch(/cluster7:thief +Pending/);
  });

  it('says that a cluster has not asked, with another exit code than for a wrong flag [cli A42]', async () => {
    await register(world.planes.hub.client, 'cluster2');
    const { code, err } = await hub('accept', '--clusters', 'cluster2');
    expect([code, err]).toEqual([3, expect.stringContaining('has not asked for a certificate yet')]);
    expect(await hub('accept', '--clusters', 'cluster2', '--wait', '--timeout', '0')).toMatchObject({ code: 4 });
    expect(await hub('accept', '--clusters', 'unknown')).toMatchObject({ code: 3 });
    expect((await hub('accept', '--clusters', 'cluster2', '--wiat')).code).toBe(2);
    expect((await hub('accept', '--clusters', 'cluster2', '--wait', '60')).code).toBe(2);
    expect((await hub('accept')).code).toBe(2);
  });

  it('waits for a cluster that asks later', async () => {
    const waiting = hub('accept', '--clusters', 'cluster3', '--wait');
    const agent = world.planes.hub.clientOf(bootstrapUser);
    await register(agent, 'cluster3');
    await ask(agent, 'cluster3');
    expect(await waiting).toMatchObject({ code: 0, out: expect.stringContaining('cluster3 has been accepted') });
  });

  it('leaves alone requests that no bootstrap identity sent, unless that is asked for [cli A39]', async () => {
    await ask(world.planes.hub.client, 'cluster2', 'other');
    expect((await hub('accept', '--clusters', 'cluster2')).code).toBe(3);
    expect((await hub('accept', '--clusters', 'cluster2', '--skip-approve-check')).code).toBe(0);
  });

  it('needs no request of a cluster of a third-party auth type, which asks for no certificate', async () => {
    const declared = { 'agent.open-cluster-management.io/registration-auth': 'jwt' };
    await register(world.planes.hub.client, 'jwt1', declared);
    expect(await hub('accept', '--clusters', 'jwt1')).toMatchObject({ code: 0 });
    await register(world.planes.hub.client, 'grpc1', { 'agent.open-cluster-management.io/registration-auth': 'grpc' });
    expect(await hub('accept', '--clusters', 'grpc1')).toMatchObject({ code: 3 });
  });

  it('needs no request of a cluster whose identity comes from AWS [cli A40]', async () => {
    await register(world.planes.hub.client, 'eks', { [Annotation.ManagedClusterArn]: 'arn:aws:eks:x' });
    expect((await hub('accept', '--clusters', 'eks')).code).toBe(0);
  });
});
