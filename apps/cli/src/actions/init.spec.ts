import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { createKubeClient, KubeError } from '@flotilla/kube';
import {
  clusterRoles,
  configMaps,
  namespaces,
  secrets,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { Transport } from '@flotilla/kube/transport';
import { EMPTY } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Connector } from '../context.ts';
import { bootstrapUser } from '../fixtures/agents.ts';
import { type CliWorld, flotilla, serverOf, startWorld } from '../fixtures/cli.ts';

describe('flotilla init', () => {
  let world: CliWorld<'hub'>;
  let directory: string;
  const init = (...flags: string[]) => world.flotilla(['init', '--kubeconfig', 'hub', ...flags]);
  beforeAll(async () => {
    world = await startWorld('hub');
    directory = await mkdtemp(join(tmpdir(), 'flotilla-init-'));
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  it('prints what it would apply, and changes nothing', async () => {
    const { code, out } = await init('--dry-run');
    expect(code).toBe(0);
    const kinds = parseAllDocuments(out).map((document) => document.toJS().kind);
    expect(new Set(kinds)).toEqual(
      new Set([
        'CustomResourceDefinition',
        'ClusterManager',
        'Namespace',
        'ServiceAccount',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'ValidatingAdmissionPolicy',
        'ValidatingAdmissionPolicyBinding',
        'ConfigMap',
      ]),
    );
    expect(await world.planes.hub.client.resource(namespaces).find(NamespaceName.Operator)).toBeUndefined();
  });

  it('refuses to continue without namespaces that it cannot create', async () => {
    const { code, err } = await init('--create-namespace=false');
    expect([code, err]).toEqual([3, expect.stringContaining('kubectl create namespace open-cluster-management')]);
  });

  it('prints how to start the hub in a terminal without the environment of this one', async () => {
    const env = { KUBECONFIG: '/somewhere/config' };
    const { out } = await world.flotilla(['init', '--context', 'hub'], { env });
    expect(lineOf(out, 'flotilla-hub')).toContain(' --kubeconfig /somewhere/config --context hub ');
  });

  it('makes a hub, twice, and prints a join command that scripts can take apart [cli A23]', async () => {
    expect(await init()).toMatchObject({ code: 0 });
    const { code, out } = await init();
    expect(code).toBe(0);
    const words = lineOf(out, 'flotilla join').split(' ');
    expect(words[2]).toBe('--hub-token');
    expect(words[5]).toBe(serverOf('hub'));
    expect(words[6]).toBe('--hub-ca-hash');
    expect(lineOf(out, 'flotilla-hub')).toMatch(
      /^flotilla-hub controller --kubeconfig \/.*\/hub --namespace open-cluster-management-hub$/,
    );
  });

  it('allows anonymous callers to read the address and the CA of the hub, and nothing else [cli A09]', async () => {
    const anonymous = world.planes.hub.clientOf({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
    const info = await anonymous.resource(configMaps).get('kube-public/cluster-info');
    expect(info.data?.kubeconfig).toContain(serverOf('hub'));
    await expect(anonymous.resource(configMaps).list({ namespace: 'kube-public' })).rejects.toThrow('Forbidden');
    await expect(anonymous.resource(managedClusters).list()).rejects.toThrow('Forbidden');
  });

  it('grants clusters the right to request to join, and no wildcard to any subject', async () => {
    const { items } = await world.planes.hub.client.resource(clusterRoles).list();
    const ours = items.filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:'));
    expect(ours.map(({ metadata }) => metadata?.name)).toEqual([
      'open-cluster-management:bootstrap',
      'open-cluster-management:cluster-manager-registration:controller',
      'open-cluster-management:cluster-manager-registration:webhook',
      'open-cluster-management:metrics-reader',
    ]);
    expect(JSON.stringify(ours.map(({ rules }) => rules))).not.toContain('"*"');
    const cluster = world.planes.hub.clientOf(bootstrapUser);
    await expect(cluster.resource(secrets).list()).rejects.toThrow('Forbidden');
    await expect(cluster.resource(managedClusters).delete('cluster1')).rejects.toThrow('Forbidden');
    await expect(cluster.resource(managedClusters).list()).resolves.toBeDefined();
  });

  it('lets the API server guard the hub unless it is given a webhook server, and says what that leaves out', async () => {
    const { client } = world.planes.hub;
    const guards = async () => {
      const [webhooks, policies, bindings] = await Promise.all([
        client.resource(validatingWebhookConfigurations).list(),
        client.resource(validatingAdmissionPolicies).list(),
        client.resource(validatingAdmissionPolicyBindings).list(),
      ]);
      const hooks = webhooks.items.flatMap((configuration) => configuration.webhooks ?? []);
      return {
        webhooks: new Set(hooks.map(({ failurePolicy, clientConfig }) => [failurePolicy, clientConfig.url].join(' '))),
        policies: policies.items.map(({ metadata, spec }) => [metadata?.name, spec?.failurePolicy].join(' ')),
        bindings: bindings.items.map(({ spec }) => spec.validationActions),
      };
    };
    const byPolicies = {
      webhooks: new Set(),
      policies: [
        'managedclusteraddons.policy.addon.open-cluster-management.io Fail',
        'managedclusters.policy.cluster.open-cluster-management.io Fail',
        'managedclustersetbindings.policy.cluster.open-cluster-management.io Fail',
        'manifestworkreplicasets.policy.work.open-cluster-management.io Fail',
        'manifestworks.policy.work.open-cluster-management.io Fail',
      ],
      bindings: [['Deny'], ['Deny'], ['Deny'], ['Deny'], ['Deny']],
    };
    const { out: alone } = await init();
    expect(await guards()).toEqual(byPolicies);
    expect(alone).toContain('clusters without a cluster set are not put\ninto "default"');

    const { out } = await init('--webhook-url', 'https://127.0.0.1:9443/');
    expect(await guards()).toEqual({
      webhooks: new Set([
        'Fail https://127.0.0.1:9443/validate-addon-open-cluster-management-io-v1beta1-managedclusteraddon',
        'Fail https://127.0.0.1:9443/validate-cluster-open-cluster-management-io-v1-managedcluster',
        'Fail https://127.0.0.1:9443/validate-cluster-open-cluster-management-io-v1beta2-managedclustersetbinding',
        'Fail https://127.0.0.1:9443/validate-work-open-cluster-management-io-v1-manifestwork',
        'Fail https://127.0.0.1:9443/validate-work-open-cluster-management-io-v1alpha1-manifestworkreplicaset',
      ]),
      policies: [],
      bindings: [],
    });
    expect(out).toContain('webhook-server');
    expect(out).toContain('--bind-address 127.0.0.1 --port 9443 --serving-hosts 127.0.0.1');
    expect(out).not.toContain('ValidatingAdmissionPolicies');
    expect((await init('--webhook-url', 'http://127.0.0.1')).code).toBe(2);
    // No server answers the webhooks any more, and still the hub is guarded: by policies.
    const byWebhooks = await guards();
    expect(await init()).toMatchObject({ code: 0 });
    expect(await guards()).toEqual(byWebhooks);
    expect(await init('--webhook-url', 'none')).toMatchObject({ code: 0 });
    expect(await guards()).toEqual(byPolicies);
  });

  it('lets a cluster ask to join, and not accept itself', async () => {
    const cluster = world.planes.hub.clientOf(bootstrapUser).resource(managedClusters);
    const accepted = { metadata: { name: 'sly' }, spec: { hubAcceptsClient: true } };
    await expect(cluster.create(accepted, { dryRun: true })).rejects.toThrow(
      'cannot update the HubAcceptsClient field',
    );
    await cluster.create({ ...accepted, spec: {} }, { dryRun: true });
    await world.planes.hub.client.resource(managedClusters).create(accepted, { dryRun: true });
  });

  it('refuses a server that knows no policies, and says what to do', async () => {
    const connector: Connector = {
      toServer: async () => Promise.reject(new KubeError('Unavailable', 'not asked')),
      toCluster: async () => ({
        client: createKubeClient({ transport: withoutKinds }),
        access: { server: 'https://old:6443', origin: 'old' },
        async [Symbol.asyncDispose]() {},
      }),
    };
    const { code, err } = await flotilla(['init', '--operator=false', '--kubeconfig', 'old'], { connector });
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/ValidatingAdmissionPolicy[\s\S]*1\.30[\s\S]*--webhook-url/),
    ]);
  });

  it('prints a bootstrap token that ends, and keeps it the next time [cli A25]', async () => {
    const createJoinInfo = async () => JSON.parse((await init('--use-bootstrap-token', '-o', 'json')).out);
    const first = await createJoinInfo();
    expect(first['hub-token']).toMatch(/^ocmhub\.[a-z0-9]{16}$/);
    const hours = (Date.parse(first.expires) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
    expect((await createJoinInfo())['hub-token']).toBe(first['hub-token']);
  });

  it('hands features to the hub that it prints, and refuses what contradicts itself [cli A16]', async () => {
    const gate = ['--feature-gates', 'ManagedClusterAutoApproval=true'];
    const user = ['--auto-approved-csr-identities', 'system:bootstrap:ocmhub'];
    const { out } = await init(...gate, ...user);
    expect(lineOf(out, 'flotilla-hub')).toContain(
      '--feature-gates ManagedClusterAutoApproval=true --auto-approved-csr-users system:bootstrap:ocmhub',
    );
    for (const flags of [
      user,
      ['--feature-gates', 'Nope=true'],
      ['--feature-gates', 'PushAgents=true'],
      ['--feature-gates', 'ClusterProfile=perhaps'],
      ['--image-registry', 'quay.io/x'],
      ['--grpc-server', 'hub:8090'],
      ['--singleton'],
    ]) {
      await world.flotilla(['clean', '--kubeconfig', 'hub', '--force']);
      const { code, err } = await init(...flags);
      expect([flags, code, err]).toEqual([
        flags,
        2,
        expect.stringMatching(
          /not supported|should enable|not known|neither|has no effect without|that the operator runs/,
        ),
      ]);
    }
  });

  it('writes manifests and the join command for their owner only', async () => {
    const manifests = join(directory, 'hub.yaml');
    const command = join(directory, 'join.sh');
    await init('--output-file', manifests, '--output-join-command-file', command);
    expect(parseAllDocuments(await readFile(manifests, 'utf8')).length).toBeGreaterThan(20);
    expect(await readFile(command, 'utf8')).toMatch(/ --cluster-name \$1\n$/);
    for (const file of [manifests, command]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('says in the join command what --wait asks for, and that no process leads the hub when it waited long enough [cli A24]', async () => {
    const { code, err } = await world.flotilla(['init', '--kubeconfig', 'hub', '--wait', '--timeout', '0']);
    expect([code, err]).toEqual([4, expect.stringContaining('no process leads them')]);
    const now = new Date().toISOString().replace('Z', '000Z');
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'registration-controller-lock', namespace: NamespaceName.Hub },
      spec: { holderIdentity: 'me', renewTime: now, leaseDurationSeconds: 100 },
    };
    await (await world.planes.hub.client.dynamic(lease)).create(lease);
    expect((await init('--wait')).out).toContain(' --wait --cluster-name <cluster_name>');
  });

  it('leaves an address that was chosen since, and replaces one that only this machine reaches', async () => {
    const handle = world.planes.hub.client.resource(configMaps);
    const key = 'kube-public/cluster-info';
    const server = async () => /server: (.*)/.exec((await handle.get(key)).data?.kubeconfig ?? '')?.[1];
    const publish = async (address: string) => {
      const kubeconfig = (await handle.get(key)).data?.kubeconfig?.replace(/server: .*/, `server: ${address}`) ?? '';
      await handle.patch(key, { type: 'merge', body: { data: { kubeconfig } } });
    };
    await publish('https://chosen.example.com');
    expect((await init()).err).not.toContain('cluster-info');
    expect(await server()).toBe('https://chosen.example.com');
    await publish('https://127.0.0.1:6443');
    await init();
    expect(await server()).toBe(serverOf('hub'));
  });

  it('leaves a cluster-info of another owner, unless it is empty [cli A10]', async () => {
    const { client } = world.planes.hub;
    const key = 'kube-public/cluster-info';
    const labels = { 'app.kubernetes.io/managed-by': 'kubeadm' };
    const write = (kubeconfig: string) =>
      client.resource(configMaps).patch(key, { type: 'merge', body: { metadata: { labels }, data: { kubeconfig } } });
    await write('somebody: else');
    expect((await init()).code).toBe(0);
    expect((await client.resource(configMaps).get(key)).data?.kubeconfig).toBe('somebody: else');
    await write('');
    expect(await init()).toMatchObject({
      code: 3,
      err: expect.stringContaining('empty kubeconfig data in cluster-info'),
    });
  });
});

const lineOf = (out: string, start: string): string =>
  out
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(start)) ?? '';

/** A server that serves no kinds at all. */
const withoutKinds: Transport = {
  request: async () => ({
    status: 200,
    headers: { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
    body: JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [] }),
  }),
  stream: async () => Promise.reject(new KubeError('Unavailable', 'not asked')),
  accessChanged: EMPTY,
  async close() {},
};
