import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { clusterRoles, configMaps, namespaces, secrets, validatingWebhookConfigurations } from '@flotilla/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { bootstrapUser } from '../fixtures/agents.ts';
import { type CliWorld, serverOf, startWorld } from '../fixtures/cli.ts';

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
        'Namespace',
        'ServiceAccount',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'MutatingWebhookConfiguration',
        'ValidatingWebhookConfiguration',
        'ConfigMap',
      ]),
    );
    expect(await world.planes.hub.client.resource(namespaces).find(NamespaceName.Operator)).toBeUndefined();
  });

  it('refuses to go on without namespaces that it may not make', async () => {
    const { code, err } = await init('--create-namespace=false');
    expect([code, err]).toEqual([3, expect.stringContaining('kubectl create namespace open-cluster-management')]);
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

  it('lets strangers read where the hub is and its CA, and nothing else [cli A09]', async () => {
    const stranger = world.planes.hub.clientOf({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
    const info = await stranger.resource(configMaps).get('kube-public/cluster-info');
    expect(info.data?.kubeconfig).toContain(serverOf('hub'));
    await expect(stranger.resource(configMaps).list({ namespace: 'kube-public' })).rejects.toThrow('Forbidden');
    await expect(stranger.resource(managedClusters).list()).rejects.toThrow('Forbidden');
  });

  it('gives clusters rights to ask, and no wildcard to anybody', async () => {
    const { items } = await world.planes.hub.client.resource(clusterRoles).list();
    const ours = items.filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:'));
    expect(ours.map(({ metadata }) => metadata?.name)).toEqual([
      'open-cluster-management:bootstrap',
      'open-cluster-management:cluster-manager-registration:controller',
      'open-cluster-management:cluster-manager-registration:webhook',
    ]);
    expect(JSON.stringify(ours.map(({ rules }) => rules))).not.toContain('"*"');
    const cluster = world.planes.hub.clientOf(bootstrapUser);
    await expect(cluster.resource(secrets).list()).rejects.toThrow('Forbidden');
    await expect(cluster.resource(managedClusters).delete('cluster1')).rejects.toThrow('Forbidden');
    await expect(cluster.resource(managedClusters).list()).resolves.toBeDefined();
  });

  it('asks webhooks where they are, and goes on without them unless it was told where', async () => {
    const policy = async () => {
      const name = 'managedclustervalidators.admission.cluster.open-cluster-management.io';
      const { webhooks } = await world.planes.hub.client.resource(validatingWebhookConfigurations).get(name);
      return [webhooks?.[0]?.failurePolicy, webhooks?.[0]?.clientConfig.url];
    };
    expect(await policy()).toEqual(['Ignore', undefined]);
    const { out } = await init('--webhook-url', 'https://127.0.0.1:9443/');
    expect(await policy()).toEqual([
      'Fail',
      'https://127.0.0.1:9443/validate-cluster-open-cluster-management-io-v1-managedcluster',
    ]);
    expect(out).toContain('webhook-server');
    expect(out).toContain('--bind-address 127.0.0.1 --port 9443 --serving-hosts 127.0.0.1');
    expect((await init('--webhook-url', 'http://127.0.0.1')).code).toBe(2);
    await init();
    expect(await policy()).toEqual(['Ignore', undefined]);
  });

  it('invites by a bootstrap token that ends, and keeps it the next time [cli A25]', async () => {
    const invite = async () => JSON.parse((await init('--use-bootstrap-token', '-o', 'json')).out);
    const first = await invite();
    expect(first['hub-token']).toMatch(/^ocmhub\.[a-z0-9]{16}$/);
    const hours = (Date.parse(first.expires) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
    expect((await invite())['hub-token']).toBe(first['hub-token']);
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
      ['--feature-gates', 'ClusterProfile=perhaps'],
      ['--registration-drivers', 'csr,grpc'],
      ['--image-registry', 'quay.io/x'],
      ['--grpc-server', 'hub:8090'],
      ['--singleton'],
    ]) {
      const { code, err } = await init(...flags);
      expect([flags, code, err]).toEqual([
        flags,
        2,
        expect.stringMatching(/not there yet|should enable|not known|neither/),
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

  it('says in the join command what --wait asks for, and that nobody leads the hub when it waited long enough [cli A24]', async () => {
    const { code, err } = await world.flotilla(['init', '--kubeconfig', 'hub', '--wait', '--timeout', '0']);
    expect([code, err]).toEqual([4, expect.stringContaining('nobody leads them')]);
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

  it('leaves alone what somebody else wrote in cluster-info, unless it is empty [cli A10]', async () => {
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
