import { Label, managedClusters, NamespaceName, SecretName } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import {
  certificateSigningRequests,
  createInformers,
  type KubeClient,
  namespaces,
  realClock,
  secrets,
  silentLogger,
} from '@flotilla/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, flotilla, startWorld } from './fixtures/cli.ts';

/** What an agent does before it is accepted: registers and asks for a certificate. */
async function ask(hub: KubeClient, clusterName: string, agentName: string): Promise<void> {
  const driver = csrDriver.agent({
    identity: { clusterName, agentName },
    options: { clientCertExpirationSeconds: 0 },
    clock: realClock,
    log: silentLogger,
    random: Math.random,
  });
  await using end = new AsyncDisposableStack();
  const informers = end.use(createInformers({ client: hub }));
  const stop = new AbortController();
  end.defer(() => stop.abort());
  const connection = { hub, informers, signal: stop.signal, wake() {} };
  driver.connect(connection);
  expect(await driver.obtain({}, connection)).toMatchObject({ kind: 'waiting' });
}

const register = (hub: KubeClient, name: string) =>
  hub.resource(managedClusters).create({
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: {},
  });

const bootstrapUser = {
  name: 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:open-cluster-management', 'system:authenticated'],
};

describe('the command line on a hub', () => {
  let hub: CliWorld;
  let managed: CliWorld;
  let words: string[];
  beforeAll(async () => {
    [hub, managed] = await Promise.all([startWorld(), startWorld()]);
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    await managed[Symbol.asyncDispose]();
  });

  it('refuses a cluster that is no hub, and says what to do', async () => {
    const { code, err } = await hub.flotilla('accept', '--clusters', 'cluster1');
    expect(code).toBe(3);
    expect(err).toContain('no hub');
    expect(err).toContain('flotilla init');
  });

  it('prints what init would apply, and changes nothing', async () => {
    const { code, out } = await hub.flotilla('init', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('name: managedclusters.cluster.open-cluster-management.io');
    expect(await hub.plane.client.resource(namespaces).find(NamespaceName.Operator)).toBeUndefined();
  });

  it('makes a hub, twice, and prints a join command that scripts can take apart', async () => {
    expect(await hub.flotilla('init')).toMatchObject({ code: 0 });
    const { code, out } = await hub.flotilla('init');
    expect(code).toBe(0);
    words =
      out
        .split('\n')
        .find((line) => line.trim().startsWith('flotilla join'))
        ?.trim()
        .split(' ') ?? [];
    expect(words[2]).toBe('--hub-token');
    expect(words[5]).toBe(hub.plane.server);
    // This API server answers no strangers, so that the CA goes along instead of its hash.
    expect(words[6]).toBe('--hub-ca-data');
  });

  it('gives a token that may ask to join and nothing else', async () => {
    const { out } = await hub.flotilla('get', 'token', '-o', 'json');
    expect(Object.keys(JSON.parse(out))).toEqual(['hub-token', 'hub-apiserver', 'hub-ca-data', 'expires']);
    const client = hub.plane.clientOf(bootstrapUser);
    await expect(client.resource(secrets).list()).rejects.toThrow('Forbidden');
    await expect(client.resource(managedClusters).delete('cluster1')).rejects.toThrow('Forbidden');
    await expect(client.resource(managedClusters).list()).resolves.toBeDefined();
  });

  it('joins a cluster, also again, and keeps the token out of what it prints', async () => {
    const join = words.slice(1).map((word) => (word === '<cluster_name>' ? 'cluster1' : word));
    const dry = await managed.flotilla(...join, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.out).not.toContain(words[3]);
    for (let round = 0; round < 2; round += 1) {
      const { code, out, err } = await managed.flotilla(...join);
      expect([code, err]).toEqual([0, expect.stringContaining('is verified')]);
      expect(out).toContain('flotilla accept --clusters cluster1');
    }
    const key = `${NamespaceName.Agent}/${SecretName.BootstrapHubKubeconfig}`;
    const { data } = await managed.plane.client.resource(secrets).get(key);
    expect(Buffer.from(data?.kubeconfig ?? '', 'base64').toString()).toContain(hub.plane.server);
  });

  it.each([
    { why: 'without a hash, since the CA is not trusted', args: [], hint: '--hub-ca-hash' },
    {
      why: 'with the hash of another CA',
      args: ['--hub-ca-hash', `sha256:${'0'.repeat(64)}`],
      hint: '--ca-file',
    },
  ])('does not send the token $why', async ({ args, hint }) => {
    const { code, err } = await managed.flotilla(
      'join',
      '--hub-token',
      'abc',
      '--hub-apiserver',
      hub.plane.server,
      '--cluster-name',
      'cluster1',
      ...args,
    );
    expect(code).toBe(3);
    expect(err).toContain(hint);
  });

  it('says that an expired token is one', async () => {
    const { code, err } = await managed.flotilla(
      'join',
      '--hub-token',
      'abc',
      '--hub-apiserver',
      hub.plane.server,
      '--cluster-name',
      'cluster1',
      '--hub-ca-data',
      words[7] ?? '',
    );
    expect(code).toBe(3);
    expect(err).toContain('does not accept the token');
  });

  it('accepts exactly the requests of the cluster that is named, and again without harm', async () => {
    const agent = hub.plane.clientOf(bootstrapUser);
    for (const name of ['cluster1', 'cluster10']) {
      await register(agent, name);
      await ask(agent, name, 'agent');
    }
    for (let round = 0; round < 2; round += 1) {
      expect(await hub.flotilla('accept', '--clusters', 'cluster1')).toMatchObject({ code: 0 });
    }
    const requests = (await hub.plane.client.resource(certificateSigningRequests).list()).items;
    const approved = requests.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Approved'));
    expect(approved.map(({ metadata }) => metadata?.labels?.[Label.ClusterName])).toEqual(['cluster1']);
    const clusters = (await hub.plane.client.resource(managedClusters).list()).items;
    expect(clusters.map(({ metadata, spec }) => [metadata?.name, spec?.hubAcceptsClient ?? false])).toEqual([
      ['cluster1', true],
      ['cluster10', false],
    ]);
  });

  it('lets a person choose when two agents claim one name', async () => {
    const agent = hub.plane.clientOf(bootstrapUser);
    await ask(agent, 'cluster10', 'other');
    const { code, err } = await hub.flotilla('accept', '--clusters', 'cluster10');
    expect(code).toBe(3);
    expect(err).toContain('2 agents claim this name');
    const requester = 'system:open-cluster-management:cluster10:other';
    expect(await hub.flotilla('accept', '--clusters', 'cluster10', '--requesters', requester)).toMatchObject({
      code: 0,
    });
    const { out } = await hub.flotilla('get', 'csr', '--clusters', 'cluster10');
    expect(out).toMatch(/cluster10:other +Approved/);
    expect(out).toMatch(/cluster10:agent +Pending/);
  });

  it('says that a cluster has not asked, with another exit code than for a wrong flag', async () => {
    await register(hub.plane.client, 'cluster2');
    const { code, err } = await hub.flotilla('accept', '--clusters', 'cluster2');
    expect(code).toBe(3);
    expect(err).toContain('has not asked for a certificate yet');
    expect((await hub.flotilla('accept', '--clusters', 'cluster2', '--wiat')).code).toBe(2);
    expect((await hub.flotilla('accept')).code).toBe(2);
  });

  it('leaves alone requests that no bootstrap identity sent', async () => {
    await ask(hub.plane.client, 'cluster2', 'stranger');
    expect((await hub.flotilla('accept', '--clusters', 'cluster2')).code).toBe(3);
    expect((await hub.flotilla('accept', '--clusters', 'cluster2', '--skip-approve-check')).code).toBe(0);
  });

  it('shows clusters for people and for machines', async () => {
    const { out } = await hub.flotilla('get', 'clusters', '-o', 'wide');
    expect(out).toMatch(/^NAME +ACCEPTED +JOINED +AVAILABLE +CLUSTERSET +CPU +MEMORY +KUBERNETES VERSION/);
    expect(out).toMatch(/cluster1 +true/);
    const { items } = JSON.parse((await hub.flotilla('get', 'clusters', '-o', 'json')).out);
    expect(items[0]).toMatchObject({ kind: 'ManagedCluster', metadata: { name: 'cluster1' } });
    expect((await hub.flotilla('get', 'clusters', '-o', 'name')).out).toBe('cluster1\ncluster10\ncluster2\n');
  });

  it('tells how the hub and the cluster are set up', async () => {
    const { out } = await hub.flotilla('get', 'hub-info');
    expect(out).toContain('Clusters: 3, of which 3 accepted');
    expect(out).toMatch(/\(installed\) +managedclusters\.cluster\.open-cluster-management\.io +\[\*v1\]/);
    const [info] = JSON.parse((await managed.flotilla('get', 'klusterlet-info', '-o', 'json')).out);
    expect(info).toMatchObject({ clusterName: 'cluster1', bootstrapSecret: true, hubCredentials: false });
    expect((await hub.flotilla('get', 'klusterlet-info')).code).toBe(3);
  });

  it('takes the cluster away on both sides, and says what it removed; a second time there is nothing', async () => {
    const args = ['unjoin', '--cluster-name', 'cluster1', '--hub-kubeconfig', hub.kubeconfig] as const;
    const { code, out } = await managed.flotilla(...args);
    expect(code).toBe(0);
    expect(out).toContain('Removed Klusterlet klusterlet');
    expect(out).toContain('Removed Namespace open-cluster-management-agent\n');
    expect(await hub.plane.client.resource(managedClusters).find('cluster1')).toBeUndefined();
    expect(await managed.flotilla(...args)).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing to remove'),
    });
  });

  it('refuses to clean a hub that has clusters, and then leaves nothing of it', async () => {
    const refused = await hub.flotilla('clean');
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('cluster10, cluster2')]);
    for (const name of ['cluster10', 'cluster2']) await hub.plane.client.resource(managedClusters).delete(name);
    expect(await hub.flotilla('clean', '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Would remove'),
    });
    const { code, out } = await hub.flotilla('clean');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Removed ClusterRole open-cluster-management:bootstrap\n'),
    ]);
    expect(await hub.plane.client.resource(namespaces).find(NamespaceName.Operator)).toBeUndefined();
    expect((await hub.flotilla('get', 'clusters')).code).toBe(3);
  });
});

describe('the command line', () => {
  it('refuses unknown commands with the exit code of a usage error', async () => {
    expect((await flotilla(['get', 'nope'])).code).toBe(2);
    expect((await flotilla(['frobnicate'])).code).toBe(2);
  });

  it('prints help with examples', async () => {
    for (const command of [
      ['up'],
      ['down'],
      ['init'],
      ['join'],
      ['accept'],
      ['unjoin'],
      ['get', 'clusters'],
      ['get', 'token'],
      ['get', 'csr'],
      ['version'],
    ]) {
      const { code, out } = await flotilla([...command, '--help']);
      expect([command, code, out.includes('Examples:')]).toEqual([command, 0, true]);
    }
  });

  it('reads the token from standard input, so that no other process sees it', async () => {
    const { code, err } = await flotilla(
      ['join', '--hub-token-file', '-', '--hub-apiserver', 'http://hub', '--cluster-name', 'c'],
      'secret\n',
    );
    expect([code, err]).toEqual([2, expect.stringContaining('https://')]);
  });
});
