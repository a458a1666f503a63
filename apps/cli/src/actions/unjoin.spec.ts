import {
  appliedManifestWorks,
  klusterlets,
  managedClusters,
  manifestWorks,
  NamespaceName,
  SecretName,
} from '@flotilla/api-types';
import { namespaces, realClock, secrets } from '@flotilla/kube';
import { everything } from '@flotilla/kube/testing';
import { forcedRemovalAnnotation } from '@flotilla/registration-core/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { madeByCli } from '../ownership.ts';

describe('flotilla unjoin', () => {
  let world: CliWorld<'hub' | 'managed'>;
  let before: string[];
  const unjoinArgs = (...flags: string[]) => [
    'unjoin',
    '--kubeconfig',
    'managed',
    '--cluster-name',
    'cluster1',
    ...flags,
  ];
  const unjoin = (...flags: string[]) => world.flotilla(unjoinArgs(...flags));

  beforeAll(async () => {
    world = await startWorld('hub', 'managed');
    before = await everything(world.planes.managed.client);
    await world.flotilla(['init', '--kubeconfig', 'hub']);
  });
  afterAll(() => world[Symbol.asyncDispose]());
  const join = async () => {
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    const hub = ['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']];
    const pin = ['--hub-ca-hash', value['hub-ca-hashes'][0]];
    const joined = await world.flotilla([
      ...['join', '--kubeconfig', 'managed', ...hub, ...pin],
      ...['--cluster-name', 'cluster1'],
    ]);
    expect(joined).toMatchObject({ code: 0 });
  };
  beforeEach(join);

  it('leaves nothing of what join made, says what it removed, and has nothing to do a second time', async () => {
    expect((await unjoin('--dry-run')).out).toContain('Would remove Klusterlet klusterlet\n');
    const { code, out, err } = await unjoin();
    expect([code, err]).toEqual([0, expect.stringContaining('The hub still has ManagedCluster cluster1')]);
    expect(out.split('\n').sort()).toEqual([
      '',
      'Removed CustomResourceDefinition appliedmanifestworks.work.open-cluster-management.io',
      'Removed CustomResourceDefinition clusterclaims.cluster.open-cluster-management.io',
      'Removed CustomResourceDefinition klusterlets.operator.open-cluster-management.io',
      'Removed Klusterlet klusterlet',
      'Removed Namespace open-cluster-management-agent',
      'Removed Namespace open-cluster-management-agent-addon',
    ]);
    expect(await everything(world.planes.managed.client)).toEqual(before);
    expect(await unjoin()).toMatchObject({ code: 0, out: '', err: expect.stringContaining('nothing to remove') });
  });

  it('leaves namespaces alone that somebody else made, but for the credentials in them', async () => {
    await unjoin();
    const { client } = world.planes.managed;
    const theirs = client.resource(namespaces);
    await theirs.create({ metadata: { name: NamespaceName.Agent } });
    await join();
    const agents = { name: SecretName.HubKubeconfig, namespace: NamespaceName.Agent };
    await client.resource(secrets).create({ metadata: agents, data: { 'tls.key': 'YQ==' } });
    await client.resource(secrets).create({ metadata: { name: 'theirs', namespace: NamespaceName.Agent } });
    expect(await unjoin()).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('Namespace open-cluster-management-agent\n'),
    });
    const left = await client.resource(secrets).list({ namespace: NamespaceName.Agent });
    expect(left.items.map(({ metadata }) => metadata?.name)).toEqual(['theirs']);
    // With the mark it is taken for ours, and waited for.
    await theirs.patch(NamespaceName.Agent, { type: 'merge', body: { metadata: { labels: madeByCli } } });
    await unjoin();
    expect(await everything(client)).toEqual(before);
  });

  it('goes on where an earlier try was interrupted', async () => {
    await world.planes.managed.client.resource(klusterlets).delete('klusterlet');
    expect((await unjoin()).out).toContain('Removed Namespace open-cluster-management-agent\n');
    expect(await everything(world.planes.managed.client)).toEqual(before);
  });

  it('takes the cluster off its hub first, if the hub is named', async () => {
    await register(world.planes.hub.client, 'cluster1');
    const { removed } = JSON.parse((await unjoin('--hub-kubeconfig', 'hub', '-o', 'json')).out);
    expect(removed.slice(0, 2)).toEqual(['ManagedCluster cluster1 from the hub', 'Klusterlet klusterlet']);
    expect(await world.planes.hub.client.resource(managedClusters).find('cluster1')).toBeUndefined();
  });

  it('refuses another name than the one under which the cluster is joined', async () => {
    const { code, err } = await world.flotilla(['unjoin', '--kubeconfig', 'managed', '--cluster-name', 'cluster2']);
    expect([code, err]).toEqual([3, expect.stringContaining('not joined as cluster2, but as cluster1')]);
    expect((await unjoin('--hub-kubeconfig', 'managed')).code).toBe(2);
  });

  it('refuses while works are applied, and with force leaves what they applied [cli A54]', async () => {
    const { client } = world.planes.managed;
    await client.resource(appliedManifestWorks).create({
      metadata: { name: 'hash-web', finalizers: ['cluster.open-cluster-management.io/applied-manifest-work-cleanup'] },
      spec: { hubHash: 'hash', manifestWorkName: 'web', agentID: 'a' },
    });
    expect(await unjoin()).toMatchObject({ code: 3, err: expect.stringContaining('works are still applied') });
    expect(await client.resource(klusterlets).find('klusterlet')).toBeDefined();
    const { code, err } = await unjoin('--force');
    expect([code, err]).toEqual([0, expect.stringContaining('AppliedManifestWork hash-web')]);
    expect(await everything(client)).toEqual(before);
  });

  it('lets a hub that lives clean up without the agent, with force', { timeout: 40_000 }, async () => {
    const hub = world.planes.hub.client;
    await register(hub, 'cluster1');
    const clusters = hub.resource(managedClusters);
    const freed = (finalizers: string[]) => ({ type: 'merge', body: { metadata: { finalizers } } }) as const;
    await clusters.patch('cluster1', freed(['cluster.open-cluster-management.io/api-resource-cleanup']));
    const told = new Promise<void>((resolve, reject) => {
      const look = async (): Promise<void> => {
        const { metadata } = await clusters.get('cluster1');
        if (metadata?.annotations?.[forcedRemovalAnnotation] !== 'true') return realClock.sleep(20).then(look);
        expect(metadata.finalizers).toHaveLength(1);
        await clusters.patch('cluster1', freed([]));
      };
      look().then(resolve, reject);
    });
    const { code, out } = await unjoin('--hub-kubeconfig', 'hub', '--force', '--timeout', '2');
    await told;
    expect([code, out]).toEqual([0, expect.stringContaining('Removed ManagedCluster cluster1 from the hub\n')]);
  });

  it('takes the cluster off the hub although its agent is dead and the hub too, with force', {
    timeout: 40_000,
  }, async () => {
    const hub = world.planes.hub.client;
    await register(hub, 'cluster1');
    await hub.resource(namespaces).create({ metadata: { name: 'cluster1' } });
    const finalizers = ['cluster.open-cluster-management.io/manifest-work-cleanup'];
    await hub
      .resource(manifestWorks)
      .create({ metadata: { name: 'web', namespace: 'cluster1', finalizers }, spec: { workload: { manifests: [] } } });
    const held = { metadata: { finalizers: ['cluster.open-cluster-management.io/api-resource-cleanup'] } };
    await hub.resource(managedClusters).patch('cluster1', { type: 'merge', body: held });
    expect(await unjoin('--hub-kubeconfig', 'hub', '--timeout', '0')).toMatchObject({
      code: 4,
      err: expect.stringContaining('waiting for the hub to remove cluster1'),
    });
    const stopped = await world.flotilla(unjoinArgs('--hub-kubeconfig', 'hub', '--force'), {
      signal: AbortSignal.abort(),
    });
    expect(stopped.code).toBe(130);
    expect(await hub.resource(managedClusters).find('cluster1')).toBeDefined();
    const { code, out, err } = await unjoin('--hub-kubeconfig', 'hub', '--force', '--timeout', '2');
    expect([code, err]).toEqual([0, expect.stringContaining('ManifestWork cluster1/web was not cleaned up')]);
    expect(out).toContain('Removed ManagedCluster cluster1 from the hub\n');
    expect(await hub.resource(managedClusters).find('cluster1')).toBeUndefined();
    expect(await world.planes.managed.client.resource(namespaces).find(NamespaceName.Agent)).toBeUndefined();
  });
});
