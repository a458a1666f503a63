import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { clusterRoles, configMaps, namespaces, roleBindings, secrets } from '@flotilla/kube/kinds';
import {
  AuthenticationV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { type Server, serverKinds, startServer } from '../registration/servers.ts';
import { type MountedSecret, mountSecret } from './addon-secret.ts';
import { type GrpcCluster, type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const cluster1 = 'by-grpc';
const addOnNamespace = 'open-cluster-management-agent-addon';
const rbac = 'rbac.authorization.k8s.io';
const groupOf = (addOn: string) => `system:open-cluster-management:cluster:${cluster1}:addon:${addOn}`;
const poll = { timeout: 20_000, interval: 50 };
const refusal = (code: number, text: string) => expect.objectContaining({ code, body: expect.stringContaining(text) });

describe.each(serverKinds)('add-ons of a cluster that has the gRPC address only, on %s', (kind) => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: GrpcCluster;
  let agent: Program;
  let server: Program;
  let mounted: MountedSecret;
  let config: KubeConfig;
  let core: CoreV1Api;
  beforeAll(async () => {
    [fleet, managed] = await Promise.all([
      startServer(kind, { audit: true }).then(startGrpcFleet),
      startServer('embedded'),
    ]);
    fleet.startGrpcHub();
    server = await fleet.startGrpcServer();
    cluster = await fleet.newGrpcCluster(managed);
    agent = cluster.startGrpcAgent(cluster1, { app: 'singleton' });
    await fleet.admin.admit(cluster1);
    await fleet.admin.joined(cluster1);
    await managed.client.resource(namespaces).create({ metadata: { name: addOnNamespace } });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await mounted?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
  });

  const addOns = () => fleet.hub.client.resource(managedClusterAddOns);
  /** What an add-on manager does: the rights of the add-on on the hub, and what it registers. */
  async function register(name: string, subject: { user?: string; groups?: string[] } = {}): Promise<void> {
    if (!(await addOns().find(`${cluster1}/${name}`))) {
      await fleet.hub.client.resource(roleBindings).create({
        metadata: { namespace: cluster1, name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
        subjects: [{ apiGroup: rbac, kind: 'Group', name: groupOf(name) }],
      });
      await addOns().create({ metadata: { namespace: cluster1, name }, spec: {} });
    }
    const registrations = [{ type: 'kubeClient', kubeClient: { subject } }];
    await addOns().status.patch(`${cluster1}/${name}`, { type: 'merge', body: { status: { registrations } } });
  }
  const condition = (name: string, reason: string) =>
    fleet.admin.seen.until(
      managedClusterAddOns,
      `${name}: ${reason}`,
      (addOn: ManagedClusterAddOn) =>
        addOn.metadata?.name === name &&
        findCondition(addOn.status?.conditions, 'HubAccessForwarded')?.reason === reason,
    );
  const load = (secret: MountedSecret): KubeConfig => {
    const loaded = new KubeConfig();
    loaded.loadFromFile(secret.kubeconfig);
    return loaded;
  };
  const onHub = (name: string) =>
    fleet.hub.client.resource(configMaps).create({ metadata: { namespace: cluster1, name } });

  it('get a kubeconfig that leads through the agent, and a condition that says so', async () => {
    await register('probe');
    mounted = await mountSecret(managed.client, `${addOnNamespace}/probe-hub-kubeconfig`);
    expect(Object.keys(mounted.data).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    const { status } = await condition('probe', 'Forwarded');
    expect(status?.registrations?.[0]?.kubeClient?.driver).toBe('csr');
    config = load(mounted);
    expect(new URL(config.getCurrentCluster()?.server ?? '').hostname).toBe('127.0.0.1');
    core = config.makeApiClient(CoreV1Api);
  });

  it('are on the hub who they registered as', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body });
    expect(review.status?.userInfo).toMatchObject({
      username: `${groupOf('probe')}:agent:probe`,
      groups: [groupOf('probe'), 'system:authenticated'],
    });
  });

  it('create, read, list, replace, patch and delete in the namespace of their cluster', async () => {
    const namespace = cluster1;
    const body = { metadata: { name: 'written' }, data: { a: '1' } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    await expect(core.createNamespacedConfigMap({ namespace, body })).rejects.toEqual(refusal(409, 'AlreadyExists'));
    await core.replaceNamespacedConfigMap({ namespace, name: 'written', body: { ...made, data: { a: '2' } } });
    await expect(
      core.replaceNamespacedConfigMap({ namespace, name: 'written', body: { ...made, data: {} } }),
    ).rejects.toEqual(refusal(409, 'Conflict'));
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'written', body: { data: { b: '3' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(patched.data).toEqual({ a: '2', b: '3' });
    const { items } = await core.listNamespacedConfigMap({ namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toContain('written');
    await core.deleteNamespacedConfigMap({ namespace, name: 'written' });
    await expect(core.readNamespacedConfigMap({ namespace, name: 'written' })).rejects.toEqual(
      refusal(404, 'NotFound'),
    );
  });

  it('have a megabyte go through both ways', async () => {
    const data = { large: 'x'.repeat(900_000) };
    const body = { metadata: { name: 'large' }, data };
    await core.createNamespacedConfigMap({ namespace: cluster1, body });
    expect((await core.readNamespacedConfigMap({ namespace: cluster1, name: 'large' })).data).toEqual(data);
  });

  it('watch, with an informer and by themselves, until they have enough', async () => {
    const path = `/api/v1/namespaces/${cluster1}/configmaps`;
    const informer = makeInformer<V1ConfigMap>(config, path, () =>
      core.listNamespacedConfigMap({ namespace: cluster1 }),
    );
    const added: (string | undefined)[] = [];
    informer.on('add', ({ metadata }) => added.push(metadata?.name));
    await informer.start();
    const names: string[] = [];
    const watch = await new Watch(config).watch(
      path,
      {},
      (_, object) => names.push(object.metadata.name),
      () => {},
    );
    await onHub('first');
    await expect.poll(() => added, poll).toContain('first');
    await expect.poll(() => names, poll).toContain('first');
    watch.abort();
    await informer.stop();
    await onHub('second');
    expect(names).not.toContain('second');
  });

  it('have their own rights and no others', async () => {
    const elsewhere = core.listNamespacedConfigMap({ namespace: 'kube-system' });
    await expect(elsewhere).rejects.toEqual(refusal(403, `User \\"${groupOf('probe')}:agent:probe\\" cannot list`));
    const asAdmin = setHeaderOptions('Impersonate-User', 'system:admin');
    await expect(core.listNamespacedConfigMap({ namespace: cluster1 }, asAdmin)).rejects.toEqual(
      refusal(403, 'cannot impersonate over gRPC'),
    );
    const exec = new Exec(config).exec(cluster1, 'p', 'c', ['true'], null, null, null, false);
    await expect(exec).rejects.toMatchObject({ message: expect.stringContaining('400') });
  });

  it.skipIf(kind === 'embedded')('are in the audit log as themselves, each with its cluster', async () => {
    const events = (await fleet.hub.auditEvents?.()) ?? [];
    const forwarded = events.filter(({ userAgent }) => userAgent?.includes('by gRPC for add-on'));
    expect(forwarded.length).toBeGreaterThan(10);
    for (const { user, impersonatedUser, userAgent } of forwarded) {
      expect(user.username).toBe('system:serviceaccount:open-cluster-management-hub:grpc-server-sa');
      expect(impersonatedUser?.username).toBe(`${groupOf('probe')}:agent:probe`);
      expect(userAgent).toContain(`for add-on probe of cluster ${cluster1}`);
    }
  });

  it('are refused with a condition where their status names somebody else', async () => {
    await register('greedy', { groups: ['system:masters'] });
    const { status } = await condition('greedy', 'RefusedByHub');
    expect(findCondition(status?.conditions, 'HubAccessForwarded')?.message).toContain('system:masters');
    expect(await managed.client.resource(secrets).find(`${addOnNamespace}/greedy-hub-kubeconfig`)).toBeUndefined();
    const { items } = await fleet.hub.client.resource(clusterRoles).list();
    expect(JSON.stringify(items.filter(({ metadata }) => metadata?.name?.includes('grpc-server')))).not.toContain(
      'system:masters',
    );
  });

  it('go on with the same kubeconfig after the agent and the server started again', async () => {
    expect(await agent.end()).toBe(0);
    agent = cluster.startGrpcAgent(cluster1, { app: 'singleton' });
    const read = () => core.readNamespacedConfigMap({ namespace: cluster1, name: 'first' }).then(() => 'read', String);
    await expect.poll(read, poll).toBe('read');
    await server.end('SIGKILL');
    server = await fleet.startGrpcServer();
    await expect.poll(read, { ...poll, timeout: 60_000 }).toBe('read');
  });

  it('lose open watches and credentials when they are removed', async () => {
    const ended = Promise.withResolvers<void>();
    const path = `/api/v1/namespaces/${cluster1}/configmaps`;
    const names: string[] = [];
    await new Watch(config).watch(
      path,
      {},
      (_, object) => names.push(object.metadata.name),
      () => ended.resolve(),
    );
    await expect.poll(() => names, poll).toContain('first');
    await addOns().delete(`${cluster1}/probe`);
    await ended.promise;
    await expect(core.listNamespacedConfigMap({ namespace: cluster1 })).rejects.toThrow();
    await expect
      .poll(() => managed.client.resource(secrets).find(`${addOnNamespace}/probe-hub-kubeconfig`), poll)
      .toBeUndefined();
  });

  it('never had anybody connect to the API server of the hub', () => {
    expect(agent.running).toBe(true);
    expect(cluster.apiServerConnections()).toBe(0);
  });
});
