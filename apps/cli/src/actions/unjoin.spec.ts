import {
  appliedManifestWorks,
  Finalizer,
  klusterlets,
  managedClusters,
  manifestWorks,
  NamespaceName,
  SecretName,
} from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import { createInformers, type KubeClient, realClock } from '@flotilla/kube';
import { clusterRoleBindings, configMaps, deployments, leases, namespaces, secrets } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { forcedRemovalAnnotation } from '@flotilla/registration-core/contract';
import { hubHashOf } from '@flotilla/work-agent';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cliOwner } from '../cluster/owner.ts';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

/** Resolves when the garbage collector has been at work after this call: it has collected a dependent of a deleted owner. */
async function whenCollected(client: KubeClient): Promise<void> {
  const handle = client.resource(configMaps);
  const namespace = 'default';
  const owner = await handle.create({ metadata: { name: 'owner', namespace } });
  const uid = owner.metadata?.uid ?? '';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await handle.create({ metadata: { name: 'dependent', namespace, ownerReferences } });
  await handle.delete('default/owner');
  await expect.poll(() => handle.find('default/dependent')).toBeUndefined();
}

/** The server removes the APIServices of definitions that are gone at its own pace. */
const ownPace = { timeout: 10_000 };

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
    before = await listAllObjects(world.planes.managed.client);
    await world.flotilla(['init', '--kubeconfig', 'hub']);
  });
  afterAll(() => world[Symbol.asyncDispose]());
  const hubServer = async (): Promise<string> =>
    JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out)['hub-apiserver'];
  const joinInfo = async (): Promise<string[]> => {
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    const hub = ['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']];
    return [...hub, '--hub-ca-hash', value['hub-ca-hashes'][0]];
  };
  const join = async () => {
    const flags = ['--kubeconfig', 'managed', ...(await joinInfo()), '--cluster-name', 'cluster1'];
    const joined = await world.flotilla(['join', ...flags]);
    expect(joined).toMatchObject({ code: 0 });
  };
  beforeEach(join);

  it('removes a hub that is a cluster of its own from itself', async () => {
    const { client } = world.planes.hub;
    await world.flotilla(['join', '--kubeconfig', 'hub', ...(await joinInfo()), '--cluster-name', 'local-cluster']);
    await client.resource(managedClusters).create({ metadata: { name: 'local-cluster' }, spec: {} });
    const flags = ['--kubeconfig', 'hub', '--hub-kubeconfig', 'hub', '--cluster-name', 'local-cluster'];
    const { code, out, err } = await world.flotilla(['unjoin', ...flags]);
    expect([code, err]).toEqual([0, expect.not.stringContaining('the same')]);
    expect(out).toMatch(/Removed ManagedCluster local-cluster from the hub/);
    expect(await client.resource(managedClusters).find('local-cluster')).toBeUndefined();
  });

  it('removes a cluster whose agent the hub hosts, from the hub too', async () => {
    const { client } = world.planes.hub;
    // Kubeconfigs of this world have no credentials; the one of the Secret is used here.
    const bindings = world.planes.managed.client.resource(clusterRoleBindings);
    await bindings.create({
      metadata: { name: 'anyone' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
    });
    const hosted = ['--operator', '--mode', 'hosted', '--managed-cluster-kubeconfig', 'managed'];
    const flags = ['--kubeconfig', 'hub', '--cluster-name', 'hosted1'];
    const joined = await world.flotilla(['join', ...flags, ...(await joinInfo()), ...hosted]);
    expect(joined, joined.err).toMatchObject({ code: 0 });
    await client.resource(managedClusters).create({ metadata: { name: 'hosted1' }, spec: {} });
    const { code, out, err } = await world.flotilla(['unjoin', ...flags, '--hub-kubeconfig', 'hub']);
    expect([code, err]).toEqual([0, expect.not.stringContaining('the same')]);
    expect(out).toMatch(/Removed ManagedCluster hosted1 from the hub\n.*Removed Klusterlet klusterlet-hosted-/s);
    expect(await listKlusterlets(client)).toEqual([]);
    await bindings.delete('anyone');
  });

  it('refuses to remove a cluster from the hub where the hub was chosen by mistake for the cluster', async () => {
    const { client } = world.planes.hub;
    await client.resource(managedClusters).create({ metadata: { name: 'other' }, spec: {} });
    const flags = ['--kubeconfig', 'hub', '--hub-kubeconfig', 'hub', '--cluster-name', 'other'];
    const { code, out, err } = await world.flotilla(['unjoin', ...flags]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('has no Klusterlet of other')]);
    expect(await client.resource(managedClusters).get('other')).toMatchObject({ metadata: { name: 'other' } });
    await client.resource(managedClusters).delete('other');
  });

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
    await expect.poll(() => listAllObjects(world.planes.managed.client), ownPace).toEqual(before);
    expect(await unjoin()).toMatchObject({ code: 0, out: '', err: expect.stringContaining('nothing to remove') });
  });

  it('leaves namespaces that others created, except for the credentials in them', async () => {
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
    await theirs.patch(NamespaceName.Agent, { type: 'merge', body: { metadata: { labels: cliOwner.labels } } });
    await unjoin();
    await expect.poll(() => listAllObjects(client), ownPace).toEqual(before);
  });

  it('is not held up by a record that the agent wrote while it was ending', async () => {
    const { client } = world.planes.managed;
    using informers = createInformers({ client, clock: realClock });
    const late = {
      metadata: { name: 'late', finalizers: [Finalizer.AppliedManifestWorkCleanup] },
      spec: { hubHash: 'hash', agentID: 'hash', manifestWorkName: 'late' },
    };
    const { promise: written, resolve } = Promise.withResolvers<unknown>();
    informers.resource(klusterlets).changes.subscribe(({ type }) => {
      if (type === 'deleted') resolve(client.resource(appliedManifestWorks).create(late));
    });
    const { code, out, err } = await unjoin('--timeout', '30');
    await written;
    expect([code, out], err).toEqual([0, expect.stringContaining('Removed AppliedManifestWork late\n')]);
    await expect.poll(() => listAllObjects(client), ownPace).toEqual(before);
  });

  it('goes on where an earlier try was interrupted', async () => {
    await world.planes.managed.client.resource(klusterlets).delete('klusterlet');
    expect((await unjoin()).out).toContain('Removed Namespace open-cluster-management-agent\n');
    await expect.poll(() => listAllObjects(world.planes.managed.client), ownPace).toEqual(before);
  });

  it('takes the cluster off its hub first, if the hub is named', async () => {
    await register(world.planes.hub.client, 'cluster1');
    await world.planes.hub.client.resource(namespaces).create({ metadata: { name: 'cluster1' } });
    const { out, err } = await unjoin('--hub-kubeconfig', 'hub', '-o', 'json');
    const { removed } = JSON.parse(out);
    expect(err).toContain('The hub keeps Namespace cluster1 and what is in it.');
    await world.planes.hub.client.resource(namespaces).delete('cluster1');
    await expect.poll(() => world.planes.hub.client.resource(namespaces).find('cluster1')).toBeUndefined();
    expect(removed.slice(0, 2)).toEqual(['ManagedCluster cluster1 from the hub', 'Klusterlet klusterlet']);
    expect(await world.planes.hub.client.resource(managedClusters).find('cluster1')).toBeUndefined();
  });

  it('refuses another name than the one under which the cluster is joined', async () => {
    const { code, err } = await world.flotilla(['unjoin', '--kubeconfig', 'managed', '--cluster-name', 'cluster2']);
    expect([code, err]).toEqual([3, expect.stringContaining('not joined as cluster2, but as cluster1')]);
    expect((await unjoin('--hub-kubeconfig', 'managed')).code).toBe(2);
  });

  it.each([
    ['without force', []],
    ['by force', ['--force']],
  ])('keeps what another hub applied, and all that its agent needs, %s', async (_how, flags) => {
    const { client } = world.planes.managed;
    const other = { clusterName: 'elsewhere', namespace: 'open-cluster-management-other' };
    await client.resource(klusterlets).create({ metadata: { name: 'other' }, spec: other });
    const ofOther = { hubHash: 'other', manifestWorkName: 'web', agentID: 'other' };
    await client.resource(appliedManifestWorks).create({ metadata: { name: 'other-web' }, spec: ofOther });
    const isForced = flags.length > 0;
    const ofHub = { hubHash: hubHashOf(await hubServer()), manifestWorkName: 'own', agentID: 'a' };
    if (isForced) await client.resource(appliedManifestWorks).create({ metadata: { name: 'own' }, spec: ofHub });
    const { code, out } = await unjoin(...flags);
    expect([
      code,
      out
        .split('\n')
        .filter((line) => line.startsWith('Removed'))
        .sort(),
    ]).toEqual([
      0,
      [
        ...(isForced ? ['Removed AppliedManifestWork own'] : []),
        'Removed Klusterlet klusterlet',
        'Removed Namespace open-cluster-management-agent',
      ],
    ]);
    expect(await client.resource(appliedManifestWorks).find('own')).toBeUndefined();
    expect(await client.resource(appliedManifestWorks).find('other-web')).toMatchObject({ spec: ofOther });
    expect(await client.resource(klusterlets).find('other')).toMatchObject({ spec: other });
    await client.resource(klusterlets).delete('other');
    await client.resource(appliedManifestWorks).delete('other-web');
    await unjoin();
    await expect.poll(() => listAllObjects(client), ownPace).toEqual(before);
  });

  describe('while works are applied', () => {
    const finalizer = 'cluster.open-cluster-management.io/applied-manifest-work-cleanup';
    const client = () => world.planes.managed.client;
    /** A record with a ConfigMap that it owns, as an agent applies it. */
    const applied = async (finalizers: string[]) => {
      const name = 'hash-web';
      const record = await client()
        .resource(appliedManifestWorks)
        .create({
          metadata: { name, finalizers },
          spec: { hubHash: 'hash', manifestWorkName: 'web', agentID: 'a' },
        });
      const uid = record.metadata?.uid ?? '';
      const owner = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'AppliedManifestWork', name, uid };
      const object = await client()
        .resource(configMaps)
        .create({ metadata: { name: 'settings', namespace: 'default', ownerReferences: [owner] } });
      const meta = { version: 'v1', resource: 'configmaps', namespace: 'default', name: 'settings' };
      const status = { appliedResources: [{ ...meta, uid: object.metadata?.uid ?? '' }] };
      await client().resource(appliedManifestWorks).status.patch(name, { type: 'merge', body: { status } });
      return { record: name, uid: object.metadata?.uid };
    };
    const stays = async (uid: string | undefined) => {
      await whenCollected(client());
      const left = await client().resource(configMaps).get('default/settings');
      expect([left.metadata?.uid, left.metadata?.ownerReferences, left.metadata?.deletionTimestamp]).toEqual([
        uid,
        undefined,
        undefined,
      ]);
      await client().resource(configMaps).delete('default/settings');
      await expect.poll(() => listAllObjects(client()), ownPace).toEqual(before);
    };

    it('refuses, and with force leaves what they applied and lists it [cli A54]', async () => {
      const { uid } = await applied([finalizer]);
      expect(await unjoin()).toMatchObject({ code: 3, err: expect.stringContaining('works are still applied') });
      expect(await client().resource(klusterlets).find('klusterlet')).toBeDefined();
      expect(await unjoin('--force', '--dry-run')).toMatchObject({
        code: 0,
        out: expect.stringContaining('Would leave configmaps default/settings\n'),
      });
      const { code, out, err } = await unjoin('--force');
      expect([code, out], err).toEqual([0, expect.stringContaining('Left configmaps default/settings\n')]);
      expect(out).toContain('Removed AppliedManifestWork hash-web\n');
      await stays(uid);
    });

    it('leaves also what a work applied that was being deleted', async () => {
      const { record, uid } = await applied([finalizer]);
      await client().resource(appliedManifestWorks).delete(record);
      expect(await unjoin('--force')).toMatchObject({ code: 0 });
      await stays(uid);
    });

    it('does not remove the finalizers of others, and says who holds the record', async () => {
      const { record, uid } = await applied([finalizer, 'example.com/theirs']);
      expect(await unjoin('--force', '--timeout', '1')).toMatchObject({
        code: 4,
        err: expect.stringContaining('AppliedManifestWork hash-web waits for example.com/theirs'),
      });
      const works = client().resource(appliedManifestWorks);
      await expect.poll(async () => (await works.find(record))?.metadata?.finalizers).toEqual(['example.com/theirs']);
      await works.patch(record, { type: 'merge', body: { metadata: { finalizers: null } } });
      expect(await unjoin('--force')).toMatchObject({ code: 0 });
      await stays(uid);
    });

    it('stops an agent that runs in the cluster before the records go', async () => {
      const labels = { app: 'klusterlet-agent' };
      const container = { name: 'agent', image: 'agent' };
      await client()
        .resource(deployments)
        .create({
          metadata: { name: 'klusterlet-agent', namespace: NamespaceName.Agent, labels },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [container] } },
          },
        });
      const { uid } = await applied([finalizer]);
      expect(await unjoin('--force')).toMatchObject({
        code: 0,
        err: expect.stringContaining('Deployment open-cluster-management-agent/klusterlet-agent was scaled to 0.'),
      });
      await stays(uid);
    });
  });

  it('lets a hub that lives clean up without the agent, with force', { timeout: 40_000 }, async () => {
    const hub = world.planes.hub.client;
    await register(hub, 'cluster1');
    const clusters = hub.resource(managedClusters);
    const freed = (finalizers: string[]) => ({ type: 'merge', body: { metadata: { finalizers } } }) as const;
    await clusters.patch('cluster1', freed(['cluster.open-cluster-management.io/api-resource-cleanup']));
    const reported = new Promise<void>((resolve, reject) => {
      const poll = async (): Promise<void> => {
        const { metadata } = await clusters.get('cluster1');
        if (metadata?.annotations?.[forcedRemovalAnnotation] !== 'true') return realClock.sleep(20).then(poll);
        expect(metadata.finalizers).toHaveLength(1);
        await clusters.patch('cluster1', freed([]));
      };
      poll().then(resolve, reject);
    });
    const { code, out } = await unjoin('--hub-kubeconfig', 'hub', '--force', '--timeout', '2');
    await reported;
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
    const lock = 'open-cluster-management-hub/registration-controller-lock';
    const [namespace, name] = lock.split('/');
    const renewTime = '2026-01-01T00:00:00.000000Z';
    await hub.resource(leases).create({
      metadata: { namespace, name },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 137, renewTime },
    });
    const held = { metadata: { finalizers: ['cluster.open-cluster-management.io/api-resource-cleanup'] } };
    await hub.resource(managedClusters).patch('cluster1', { type: 'merge', body: held });
    expect(await unjoin('--hub-kubeconfig', 'hub', '--timeout', '0')).toMatchObject({
      code: 4,
      err: expect.stringMatching(
        /waiting for the hub to remove cluster1: .*; no process leads the controllers of the hub/,
      ),
    });
    await hub.resource(leases).delete(lock);
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
