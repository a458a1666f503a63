import { Annotation, Label, managedClusters } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube';
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
  beforeAll(async () => {
    world = await startWorld('hub');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('refuses a cluster that is no hub, and says what to do [cli A43]', async () => {
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

  it('lets a person choose when two agents claim one name [cli A41]', async () => {
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster10', 'other');
    const { code, err } = await hub('accept', '--clusters', 'cluster10');
    expect([code, err]).toEqual([3, expect.stringContaining('2 agents claim this name')]);
    const requester = 'system:open-cluster-management:cluster10:other';
    expect(await hub('accept', '--clusters', 'cluster10', '--requesters', requester)).toMatchObject({ code: 0 });
    const { out } = await hub('get', 'csr', '--clusters', 'cluster10');
    expect(out).toMatch(/cluster10:other +Approved/);
    expect(out).toMatch(/cluster10:agent +Pending/);
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
    expect(await hub('accept', '--clusters', 'nobody')).toMatchObject({ code: 3 });
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
    await ask(world.planes.hub.client, 'cluster2', 'stranger');
    expect((await hub('accept', '--clusters', 'cluster2')).code).toBe(3);
    expect((await hub('accept', '--clusters', 'cluster2', '--skip-approve-check')).code).toBe(0);
  });

  it('needs no request of a cluster whose identity comes from AWS [cli A40]', async () => {
    await register(world.planes.hub.client, 'eks', { [Annotation.ManagedClusterArn]: 'arn:aws:eks:x' });
    expect((await hub('accept', '--clusters', 'eks')).code).toBe(0);
  });
});
