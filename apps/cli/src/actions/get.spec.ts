import { managedClusters } from '@flotilla/api-types';
import { serviceAccounts } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ask, bootstrapUser, register } from '../fixtures/agents.ts';
import { type CliWorld, serverOf, startWorld } from '../fixtures/cli.ts';

const namesOf = (...clusters: readonly string[]) =>
  clusters.map((name) => `managedcluster.cluster.open-cluster-management.io/${name}\n`).join('');

describe('flotilla get', () => {
  let world: CliWorld<'hub' | 'managed'>;
  const hub = (...argv: string[]) => world.flotilla(['get', ...argv, '--kubeconfig', 'hub']);
  const managed = (...argv: string[]) => world.flotilla(['get', ...argv, '--kubeconfig', 'managed']);
  beforeAll(async () => {
    world = await startWorld('hub', 'managed');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    for (const name of ['cluster1', 'cluster10', 'cluster2']) await register(world.planes.hub.client, name);
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster1');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('clusters: as a table and as JSON', async () => {
    const { out } = await hub('clusters', '-o', 'wide');
    expect(out).toMatch(/^NAME +ACCEPTED +JOINED +AVAILABLE +CLUSTERSET +CPU +MEMORY +KUBERNETES VERSION/);
    expect(out).toMatch(/cluster1 +false .* <unknown> +waits to be accepted/);
    const { items } = JSON.parse((await hub('clusters', '-o', 'json')).out);
    expect(items[0]).toMatchObject({ kind: 'ManagedCluster', metadata: { name: 'cluster1' } });
    expect(parseAllDocuments((await hub('clusters', '-o', 'yaml')).out)).toHaveLength(3);
    expect((await hub('clusters', '-o', 'name')).out).toBe(namesOf('cluster1', 'cluster10', 'cluster2'));
    expect(await hub('clusters', '--clusterset', 'nope')).toMatchObject({ code: 1 });
    expect((await hub('clusters', 'cluster1', '-o', 'tree')).out).toMatch(
      /^<ManagedCluster>\n└── cluster1\n {4}├── Accepted {2}false\n/,
    );
    expect(await hub('clusters', '-o', 'xml')).toMatchObject({ code: 2 });
  });

  it('clusters: says why one is not Available, and what to do, without being asked for more', async () => {
    const clusters = world.planes.hub.client.resource(managedClusters);
    const hubAccepted = { type: 'HubAcceptedManagedCluster', status: 'False', reason: 'HubClusterAdminDenied' };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const conditions = [{ ...hubAccepted, lastTransitionTime, message: 'Denied by hub cluster admin' }];
    await clusters.status.patch('cluster2', { type: 'merge', body: { status: { conditions } } });
    const { out } = await hub('clusters');
    expect(out).toMatch(/KUBERNETES VERSION +MODE +MESSAGE\n/);
    expect(out).toMatch(/^cluster1 .* waits to be accepted: flotilla accept --clusters cluster1$/m);
    expect(out).toMatch(/^cluster2 .* denied by an administrator .*: flotilla accept --clusters cluster2$/m);
  });

  it('clusters: by name, as kubectl takes it', async () => {
    for (const kind of ['clusters', 'cluster', 'managedclusters']) {
      expect((await hub(kind, 'cluster2', 'cluster1', '-o', 'name')).out).toBe(namesOf('cluster1', 'cluster2'));
    }
    expect(await hub('clusters', 'cluster1', 'nope', '-o', 'name')).toEqual({
      code: 1,
      out: namesOf('cluster1'),
      err: expect.stringContaining('there is no cluster nope'),
    });
  });

  it('an empty list: says so, and writes nothing to standard output', async () => {
    for (const kind of ['works', 'work']) {
      expect(await hub(kind)).toEqual({ code: 0, out: '', err: 'No resources found\n' });
    }
    expect(await hub('csr', '--clusters', 'cluster2')).toMatchObject({ out: '', err: 'No resources found\n' });
    expect(JSON.parse((await hub('works', '-o', 'json')).out)).toMatchObject({ kind: 'List', items: [] });
  });

  it('csr: who asked for what', async () => {
    const { out } = await hub('csr');
    expect(out).toMatch(/^NAME +CLUSTER +AGE +SIGNER +SENT BY +REQUESTER +CONDITION +FINGERPRINT\n/);
    expect(out).toMatch(/cluster1-\w+ +cluster1 .*system:open-cluster-management:cluster1:agent +Pending/);
    expect(parseAllDocuments((await hub('csr', '-o', 'yaml')).out)[0]?.toJS().kind).toBe('CertificateSigningRequest');
  });

  it('token: with the hash of the CA, and creates again what was removed', async () => {
    const { out, err } = await hub('token', '-o', 'json');
    expect(Object.keys(JSON.parse(out))).toEqual(['hub-token', 'hub-apiserver', 'hub-ca-hashes', 'expires']);
    expect(err).toBe('');
    const key = 'open-cluster-management/agent-registration-bootstrap';
    await world.planes.hub.client.resource(serviceAccounts).delete(key);
    expect((await hub('token')).out).toMatch(
      /^token=.+\n.*\nflotilla join --hub-token .+ --cluster-name <cluster_name>\n$/,
    );
    expect((await hub('token', '--use-bootstrap-token')).out).toMatch(/^token=ocmhub\./);
  });

  it('hub-info: what is installed', async () => {
    const { out } = await hub('hub-info');
    expect(out).toContain(`Hub: ${serverOf('hub')}\nOperator: none\nClusters: 3, of which 0 accepted\n`);
    expect(out).toContain('Controllers: no process leads them');
    expect(out).toMatch(/\(installed\) +managedclusters\.cluster\.open-cluster-management\.io +\[\*v1\]/);
    expect(JSON.parse((await hub('hub-info', '-o', 'json')).out)).toMatchObject({ clusters: 3 });
  });

  it('klusterlet-info: how a cluster is joined', async () => {
    expect(await managed('klusterlet-info')).toMatchObject({ code: 3, err: expect.stringContaining('flotilla join') });
    const token = JSON.parse((await hub('token', '-o', 'json')).out);
    const flags = ['--hub-token', token['hub-token'], '--hub-apiserver', token['hub-apiserver']];
    await world.flotilla([
      ...['join', '--kubeconfig', 'managed', ...flags, '--hub-ca-hash', token['hub-ca-hashes'][0]],
      ...['--cluster-name', 'cluster1'],
    ]);
    const [info] = JSON.parse((await managed('klusterlet-info', '-o', 'json')).out);
    expect(info).toMatchObject({ clusterName: 'cluster1', bootstrapSecret: true, hubCredentials: false });
    expect((await managed('klusterlet-info')).out).toMatch(/klusterlet +cluster1 +Default/);
  });
});

describe('flotilla -v', () => {
  it('writes requests and their outcomes from level 6 on, and nothing secret', async () => {
    await using world = await startWorld('hub');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const { out, err } = await world.flotilla(['get', 'token', '-v', '6', '--kubeconfig', 'hub']);
    const token = /^token=(.+)$/m.exec(out)?.[1] ?? '';
    expect(err).toMatch(new RegExp(`^POST ${serverOf('hub')}/api/v1/.*/token 20[01] in \\d+ ms$`, 'm'));
    expect([token.length > 20, err.includes(token)]).toEqual([true, false]);
    expect((await world.flotilla(['get', 'csr', '--v=5', '--kubeconfig', 'hub'])).err).toBe('No resources found\n');
  });

  it('leaves no write behind where a command has no dry run of its own', async () => {
    await using world = await startWorld('hub');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const { code, err } = await world.flotilla(['get', 'token', '--dry-run', '--kubeconfig', 'hub']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^Error: --dry-run, and POST .* would change something\n/)]);
  });
});
