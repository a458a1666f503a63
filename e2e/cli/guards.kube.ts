import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Annotation,
  Label,
  type ManifestWork,
  managedClusterSetBindings,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { createKubeClient, type KubeClient, retryOnConflict, staticAccess } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, secrets, validatingAdmissionPolicies } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { forcedRemovalAnnotation, sharedIdentityAnnotation } from '@flotilla/registration-core/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type BareServer, startBareServer } from './bare-server.ts';
import { openShell, type Shell, type ShellProgram } from './shell.ts';

const pollOptions = { timeout: 45_000, interval: 200 };
const accept = 'managedclusters/accept.cluster.open-cluster-management.io';

const clusterOf = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const inSet = (set: string) => ({ metadata: { labels: { [Label.ClusterSet]: set } } });
const annotatedCluster = (name: string) => ({
  metadata: { name, annotations: { [sharedIdentityAnnotation]: 'true' } },
  spec: {},
});
const annotated = (key: string) => ({ metadata: { annotations: { [key]: 'true' } } });

const workOf = (name: string, account?: string): ManifestWork => ({
  metadata: { namespace: 'c1', name },
  spec: {
    workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } }] },
    ...(account !== undefined && {
      executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'apps', name: account } } },
    }),
  },
});

describe.each(serverKinds)('a hub without a webhook server on %s', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let managed: BareServer;
  let before: string[];
  let command: string;
  const programs: ShellProgram[] = [];
  const clients: KubeClient[] = [];
  const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);
  const start = (line: string) => {
    const program = shell.start(line);
    programs.push(program);
    return program;
  };
  /** A client of the hub with these credentials instead of the administrator's. */
  const clientOf = (credentials: object): KubeClient => {
    const { server, ca } = hub.access;
    const client = createKubeClient({
      access: staticAccess({ server, ...(ca && { ca }), origin: 'a user', ...credentials }),
    });
    clients.push(client);
    return client;
  };
  const clusters = () => hub.client.resource(managedClusters);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-guards-'));
    shell = await openShell(directory);
    [hub, managed] = await Promise.all([
      startBareServer(kind, 'hub', directory),
      startBareServer(kind, 'managed', directory),
    ]);
    before = await listAllObjects(hub.client);
    const { code, out, err } = await onHub('init');
    expect([code, out], err).toEqual([0, expect.stringContaining('by ValidatingAdmissionPolicies')]);
    const lines = out.split('\n').map((line) => line.trim());
    start(lines.find((line) => line.includes(' controller ')) ?? '');
    command = lines.find((line) => line.startsWith('flotilla join')) ?? '';
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    for (const program of programs) await program[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('lets the holder of a join token ask, and not accept', async () => {
    const [, token = ''] = /--hub-token (\S+)/.exec(command) ?? [];
    const newcomer = clientOf({ authorization: `Bearer ${token}` }).resource(managedClusters);
    await expect(newcomer.create(clusterOf('sly', { hubAcceptsClient: true }))).rejects.toThrow(
      /managedclusters\/accept\.cluster\.open-cluster-management\.io "sly" is forbidden: user ".*" cannot update the HubAcceptsClient field/,
    );
    await expect(newcomer.create(annotatedCluster('sly'))).rejects.toThrow(accept);
    await newcomer.create(clusterOf('honest'));
    await clusters().patch('honest', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    await clusters().delete('honest');
  });

  it('lets an accepted agent report, and neither choose its set nor decide about itself', async () => {
    const agent = start(
      `${command.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig} --singleton --run`,
    );
    const accepted = await onHub('accept --clusters c1 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await clusters().get('c1')).status?.conditions?.map(({ type }) => type), pollOptions)
      .toContain('ManagedClusterJoined');
    const identity = await managed.client.resource(secrets).get('open-cluster-management-agent/hub-kubeconfig-secret');
    const decoded = (key: string) => Buffer.from(identity.data?.[key] ?? '', 'base64').toString();
    const own = clientOf({ clientCertificate: { certificate: decoded('tls.crt'), key: decoded('tls.key') } });
    // Agents replace their cluster: they have no permission to patch it. The hub may write it between the read and the write.
    const change = ({ metadata }: { metadata: { labels?: object; annotations?: object } }) =>
      retryOnConflict(async () => {
        const found = await own.resource(managedClusters).get('c1');
        const labels = { ...found.metadata?.labels, ...metadata.labels };
        const annotations = { ...found.metadata?.annotations, ...metadata.annotations };
        return own
          .resource(managedClusters)
          .replace({ ...found, metadata: { ...found.metadata, labels, annotations } });
      });
    await change({ metadata: { labels: { colour: 'blue' } } });
    await expect(change(inSet('production'))).rejects.toThrow(
      'managedclustersets/join.cluster.open-cluster-management.io "production" is forbidden',
    );
    for (const key of [forcedRemovalAnnotation, sharedIdentityAnnotation, Annotation.HostingClusterName]) {
      await expect(change(annotated(key))).rejects.toThrow(
        `${accept} "c1" is forbidden: user "system:open-cluster-management:c1:`,
      );
    }
    const decide = (body: object) => clusters().patch('c1', { type: 'merge', body });
    await decide(inSet('production'));
    await expect(change(inSet(''))).rejects.toThrow('to/from ManagedClusterSet "production"');
    await decide(annotated(sharedIdentityAnnotation));
    await decide(annotated(forcedRemovalAnnotation));
    // The agent is there: its cluster is removed in order at the end.
    await decide({ metadata: { annotations: { [forcedRemovalAnnotation]: null } } });
  });

  it('lets a user name only executors that they may execute as, and bind only sets that they may bind', async () => {
    const name = 'deployer';
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];
    const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name };
    const work = 'work.open-cluster-management.io';
    const sets = 'cluster.open-cluster-management.io';
    await hub.client.resource(clusterRoles).create({
      metadata: { name },
      rules: [
        { apiGroups: [work], resources: ['manifestworks'], verbs: ['create', 'patch', 'get'] },
        {
          apiGroups: [work],
          resources: ['manifestworks'],
          verbs: ['execute-as'],
          resourceNames: ['system:serviceaccount:apps:own'],
        },
        { apiGroups: [sets], resources: ['managedclustersetbindings'], verbs: ['create'] },
        { apiGroups: [sets], resources: ['managedclustersets/bind'], verbs: ['create'], resourceNames: ['own'] },
      ],
    });
    await hub.client.resource(clusterRoleBindings).create({ metadata: { name }, subjects, roleRef });
    const deployer = clientOf({ ...adminCredentials(hub), impersonate: { user: name } });
    const works = deployer.resource(manifestWorks);
    await expect(works.create(workOf('other', 'other'))).rejects.toThrow(
      'user deployer cannot manipulate the Manifestwork with executor apps/other in namespace c1',
    );
    await works.create(workOf('own', 'own'));
    await works.create(workOf('plain'));
    await expect(works.patch('c1/plain', { type: 'merge', body: { spec: workOf('x', 'other').spec } })).rejects.toThrow(
      'cannot manipulate the Manifestwork with executor apps/other',
    );
    await works.patch('c1/own', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await hub.client.resource(manifestWorks).create(workOf('by-admin', 'other'));

    const bindings = deployer.resource(managedClusterSetBindings);
    const binding = (set: string) => ({ metadata: { namespace: 'default', name: set }, spec: { clusterSet: set } });
    await expect(bindings.create(binding('other'))).rejects.toThrow(
      'managedclustersets/bind.cluster.open-cluster-management.io "other" is forbidden: user "deployer" is not allowed to bind cluster set "other"',
    );
    await bindings.create(binding('own'));
    await hub.client.resource(managedClusterSetBindings).create(binding('other'));
    for (const object of [binding('own'), binding('other')]) {
      await hub.client.resource(managedClusterSetBindings).delete(`default/${object.metadata.name}`);
    }
    await hub.client.resource(clusterRoleBindings).delete(name);
    await hub.client.resource(clusterRoles).delete(name);
  });

  it('finds nothing wrong with the types in the policies', async () => {
    const { items } = await hub.client.resource(validatingAdmissionPolicies).list();
    expect(items).toHaveLength(5);
    for (const { metadata } of items) {
      const status = async () =>
        (await hub.client.resource(validatingAdmissionPolicies).get(metadata?.name ?? '')).status;
      await expect.poll(status, pollOptions).toEqual({ observedGeneration: 1, typeChecking: {} });
    }
  });

  it('leaves no policy behind when the hub is removed', async () => {
    const left = await shell.run(
      `flotilla unjoin --cluster-name c1 --kubeconfig ${managed.kubeconfig} --hub-kubeconfig ${hub.kubeconfig} --timeout 60`,
    );
    expect(left, left.err).toMatchObject({ code: 0 });
    for (const program of programs) program.interrupt();
    for (const program of programs) await program.ended;
    const { code, out, err } = await onHub('clean --timeout 60');
    expect([code, out], err).toEqual([
      0,
      expect.stringContaining(
        'Removed ValidatingAdmissionPolicy managedclusters.policy.cluster.open-cluster-management.io',
      ),
    ]);
    expect(await listAllObjects(hub.client)).toEqual(before);
  });
});

/** What proves to a server that one is its administrator. */
const adminCredentials = ({ access }: BareServer): object => ({
  ...(access.clientCertificate && { clientCertificate: access.clientCertificate }),
  ...(access.authorization && { authorization: access.authorization }),
});
