import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestWorks } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connector } from '../context.ts';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, flotilla, startWorld } from '../fixtures/cli.ts';

const configMap = (name: string, who = 'world') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {who: ${who}}\n`;
const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {}\n';

let world: CliWorld<'hub' | 'cluster1'>;
let directory: string;
const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
const works = () => world.planes.hub.client.resource(manifestWorks);
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  world = await startWorld('hub', 'cluster1');
  directory = await mkdtemp(join(tmpdir(), 'flotilla-work-'));
  await mkdir(file('app/below'), { recursive: true });
  await writeFile(file('hello.yaml'), configMap('hello'));
  await writeFile(file('changed.yaml'), configMap('hello', 'moon'));
  await writeFile(file('app/1.yaml'), configMap('first'));
  await writeFile(file('app/2.json'), '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}');
  await writeFile(file('app/below/3.yml'), deployment);
  await writeFile(file('app/notes.txt'), 'not a manifest');
  await hub('init');
  for (const name of ['cluster1', 'cluster2']) {
    await register(world.planes.hub.client, name);
    await world.planes.hub.client.resource(namespaces).create({ metadata: { name } });
  }
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const workNames = (...names: readonly string[]) =>
  names.map((name) => `manifestwork.work.open-cluster-management.io/${name}\n`).join('');

describe('flotilla create work', () => {
  it.each([
    ['no name', [], 'work name must be specified'],
    ['a name that cannot be one', ['Hello', '-f', 'x', '-c', 'cluster1'], '"Hello" cannot be the name of a work'],
    ['no files', ['w', '--clusters', 'cluster1'], 'manifest files must be specified'],
    ['no clusters', ['w', '-f', 'x'], '--clusters or --placement must be specified'],
    ['clusters and a placement', ['w', '-f', 'x', '-c', 'cluster1', '--placement', 'a/b'], 'can only specify one'],
    ['a placement without a namespace', ['w', '-f', 'x', '--placement', 'b'], 'in the format of <namespace>/<name>'],
    ['a replica set without a placement', ['w', '-f', 'x', '-r'], '--placement must be specified when enable'],
    ['to wait for a replica set', ['w', '-f', 'x', '-r', '--placement', 'a/b', '--wait'], '--wait cannot be used'],
    ['a file that is not there', ['w', '-f', '/nowhere', '-c', 'cluster1'], '/nowhere cannot be read'],
    ['an address', ['w', '-f', 'https://example.com/a.yaml', '-c', 'cluster1'], 'is an address, not a file'],
  ])('refuses %s', async (_, argv, message) => {
    const { code, err } = await hub('create', 'work', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses clusters that are not there before it writes anything', async () => {
    const { code, err } = await hub('create', 'work', 'w', '-f', file('hello.yaml'), '--clusters', 'cluster1,nope');
    expect([code, err]).toEqual([3, expect.stringContaining('there is no ManagedCluster nope')]);
    expect((await works().list()).items).toEqual([]);
  });

  it('changes nothing in a dry run', async () => {
    const { code, out } = await hub('create', 'work', 'w', '-f', file('hello.yaml'), '-c', 'cluster1', '--dry-run');
    expect([code, out]).toEqual([0, 'create work w in cluster cluster1 (dry run)\n']);
    expect((await works().list()).items).toEqual([]);
  });

  it('makes a work on each cluster, with the namespace that kubectl would take', async () => {
    const argv = ['create', 'work', 'hello', '-f', file('hello.yaml'), '--clusters', 'cluster1,cluster2'];
    const { code, out, err } = await hub(...argv);
    expect([code, out]).toEqual([0, 'create work hello in cluster cluster1\ncreate work hello in cluster cluster2\n']);
    expect(err).toBe('v1 ConfigMap default/hello: has no namespace, so default is used\n');
    const manifests = [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name: 'hello' },
        data: { who: 'world' },
      },
    ];
    expect((await works().get('cluster2/hello')).spec?.workload).toEqual({ manifests });
    expect((await hub(...argv)).out).toBe(
      'work hello in cluster cluster1 already exists\nwork hello in cluster cluster2 already exists\n',
    );
  });

  it('overwrites only with --overwrite, and leaves what others set', async () => {
    const argv = ['create', 'work', 'hello', '-f', file('changed.yaml'), '-c', 'cluster1'];
    const { code, err } = await hub(...argv);
    expect([code, err]).toEqual([3, expect.stringContaining('work hello in cluster cluster1 already exists')]);
    const deleteOption = { propagationPolicy: 'Orphan' };
    await works().patch('cluster1/hello', { type: 'merge', body: { spec: { deleteOption } } });
    expect((await hub(...argv, '--overwrite')).out).toBe('update work hello in cluster cluster1\n');
    const { spec } = await works().get('cluster1/hello');
    expect(spec?.workload?.manifests?.[0]).toMatchObject({ data: { who: 'moon' } });
    expect(spec?.deleteOption).toEqual(deleteOption);
  });

  it('reads directories and the standard input, and asks for feedback', async () => {
    const flags = ['-c', 'cluster1', '--feedback', '-o', 'json', '--kubeconfig', 'hub'];
    const argv = ['create', 'work', 'app', '-R', '-f', `${file('app')},-`, ...flags];
    const { code, out } = await world.flotilla(argv, { stdin: configMap('piped') });
    expect(code).toBe(0);
    const [work] = JSON.parse(out).items;
    const names = work.spec.workload.manifests.map(
      ({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind} ${metadata.name}`,
    );
    expect(names).toEqual(['ConfigMap first', 'Namespace shop', 'Deployment web', 'ConfigMap piped']);
    expect(work.spec.manifestConfigs).toMatchObject([
      { resourceIdentifier: { resource: 'deployments', namespace: 'shop', name: 'web' } },
    ]);
    const again = await world.flotilla(argv.slice(0, -4).concat('--kubeconfig', 'hub'), { stdin: configMap('piped') });
    expect(again).toMatchObject({ code: 0, out: 'work app in cluster cluster1 already exists\n' });
  });

  it('refuses what the hub would refuse, with the place', async () => {
    const text = `${configMap('a')}---\n${configMap('a')}`;
    const { code, err } = await world.flotilla(
      ['create', 'work', 'x', '-f', '-', '-c', 'cluster1', '--kubeconfig', 'hub'],
      { stdin: text },
    );
    expect(code).toBe(2);
    expect(err).toContain('duplicate manifest for resource default/a with resource type v1.ConfigMap');
    expect(err).toContain('spec.workload.manifests[1]: it is the same object as [0]');
  });

  it('waits for the agent, and says what it waits for', async () => {
    const argv = ['create', 'work', 'late', '-f', file('hello.yaml'), '-c', 'cluster1', '--wait'];
    const { code, err } = await hub(...argv, '--timeout', '0');
    expect(code).toBe(4);
    expect(err).toContain('waiting for work late in cluster cluster1: waits for the agent of the cluster');
    await reportApplied('cluster1/late');
    expect((await hub(...argv)).err).toContain('work late in cluster cluster1 is applied, and its objects exist.');
  });
});

/** What the agent of a cluster does when all is well. */
async function reportApplied(key: string): Promise<void> {
  const { metadata } = await works().patch(key, {
    type: 'merge',
    body: { metadata: { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] } },
  });
  const common = { status: 'True', reason: 'x', message: '', lastTransitionTime: formatTime(Date.now()) };
  const conditions = ['Applied', 'Available'].map((type) => ({
    type,
    ...common,
    observedGeneration: metadata?.generation,
  }));
  await works().status.patch(key, { type: 'merge', body: { status: { conditions } } });
}

describe('flotilla get works', () => {
  it('shows all, those of a cluster, or one', async () => {
    expect((await hub('get', 'works', '-o', 'name')).out).toBe(workNames('app', 'hello', 'late', 'hello'));
    expect((await hub('get', 'works', 'hello', '-o', 'name')).out).toBe(workNames('hello', 'hello'));
    expect((await hub('get', 'works', '--clusters', 'cluster2')).out).toBe(
      'NAME    CLUSTER    NUMBER OF MANIFESTS   APPLIED   AVAILABLE\nhello   cluster2   1\n',
    );
    expect((await hub('get', 'works', 'late', '-c', 'cluster1', '-o', 'tree')).out).toContain('├── Applied  True');
    expect(JSON.parse((await hub('get', 'works', 'late', '-o', 'json')).out).items).toHaveLength(1);
    expect((await hub('get', 'works', 'late', '-o', 'yaml')).out).toContain('kind: ManifestWork');
  });

  it('says what is not there', async () => {
    expect(await hub('get', 'works', 'nope')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no work nope on any cluster'),
    });
    expect(await hub('get', 'works', '-c', 'nope')).toMatchObject({ code: 3 });
  });
});

describe('flotilla explain work', () => {
  it('finds the hub of a fleet that is named by its directory, unless another hub is named', async () => {
    const asked: unknown[] = [];
    const connector: Connector = {
      async toCluster(choice) {
        asked.push(choice.kubeconfig);
        throw new KubeError('Config', 'not there');
      },
      toServer: () => Promise.reject(new Error('not used')),
    };
    const argv = ['explain', 'work', 'hello', '--data-dir', '/fleet'];
    for (const flags of [[], ['--kubeconfig', 'hub']]) await flotilla([...argv, ...flags], { connector });
    expect(asked).toEqual(['/fleet/kubeconfigs/hub.yaml', 'hub']);
  });

  it('explains with the hub alone what the agent reported, and how to see more', async () => {
    const { code, out, err } = await hub('explain', 'work', 'hello');
    expect(code).toBe(0);
    expect(out).toContain('Work hello on cluster1: it is not accepted: its agent cannot read works');
    expect(out).toContain('Work hello on cluster2: ');
    expect(err).toContain('--managed-kubeconfig');
  });

  it('reads the managed cluster where it can', async () => {
    const flags = ['-c', 'cluster1', '--managed-kubeconfig', 'cluster1', '-o', 'json'];
    const { client } = world.planes.cluster1;
    const maps = await client.dynamic({ apiVersion: 'v1', kind: 'ConfigMap' });
    const [before] = JSON.parse((await hub('explain', 'work', 'hello', ...flags)).out);
    expect(before.manifests[0].live).toEqual({ state: 'absent' });
    const metadata = { namespace: 'default', name: 'hello' };
    await maps.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...{ data: { who: 'me' } } },
      { fieldManager: 'helm' },
    );
    const [after] = JSON.parse((await hub('explain', 'work', 'hello', ...flags)).out);
    expect(after.manifests[0].live).toMatchObject({
      state: 'there',
      owned: false,
      tracked: false,
      writers: [{ manager: 'helm', operation: 'Apply', contested: ['data.who'] }],
    });
  });

  it('goes on with what the hub knows if the managed cluster cannot be asked', async () => {
    const { code, out, err } = await hub(
      'explain',
      'work',
      'hello',
      '-c',
      'cluster1',
      '--managed-kubeconfig',
      'nowhere',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('Work hello on cluster1')]);
    expect(err).toContain('cluster1 could not be read');
  });

  it('wants to know which cluster a kubeconfig is of', async () => {
    const { code, err } = await hub('explain', 'work', 'hello', '--managed-kubeconfig', 'cluster1');
    expect([code, err]).toEqual([2, expect.stringContaining('work hello is on cluster1, cluster2')]);
    expect(await hub('explain', 'work', 'nope')).toMatchObject({ code: 1 });
    expect(await hub('explain', 'work')).toMatchObject({ code: 2 });
  });
});

describe('flotilla delete work', () => {
  it('needs a name and clusters', async () => {
    expect(await hub('delete', 'work')).toMatchObject({
      code: 2,
      err: expect.stringContaining('work name must be specified'),
    });
    expect(await hub('delete', 'work', 'hello')).toMatchObject({
      code: 2,
      err: expect.stringContaining('either --cluster or --clusters needs to be set'),
    });
    expect(await hub('delete', 'work', 'nope', '-c', 'cluster1')).toEqual({
      code: 1,
      out: '',
      err: 'Error: there is no work nope in cluster cluster1\nSee all: `flotilla get works`.\n',
    });
  });

  it('deletes nothing in a dry run', async () => {
    const { code, out } = await hub('delete', 'work', 'hello', '-c', 'cluster1', '--dry-run');
    expect([code, out]).toEqual([0, 'Would delete work hello in cluster cluster1.\n']);
    expect(await works().find('cluster1/hello')).toBeDefined();
  });

  it('deletes where the work is, and says where it is not', async () => {
    const { code, out, err } = await hub('delete', 'work', 'app', '--clusters', 'cluster1,cluster2');
    expect([code, out]).toEqual([0, 'work app in cluster cluster1 is deleted\n']);
    expect(err).toContain('There is no work app in cluster cluster2.');
    expect(await works().find('cluster1/app')).toBeUndefined();
  });

  it('deletes several works at once, and reports it as data', async () => {
    for (const name of ['one', 'two']) await hub('create', 'work', name, '-f', file('hello.yaml'), '-c', 'cluster1');
    expect((await hub('get', 'work', 'one', 'two', '-o', 'name')).out).toBe(workNames('one', 'two'));
    const { code, out, err } = await hub('delete', 'work', 'one', 'two', 'nope', '-c', 'cluster1', '-o', 'json');
    expect([code, err]).toEqual([1, expect.stringContaining('there is no work nope')]);
    const deleted = ['one', 'two'].map((work) => ({ work, cluster: 'cluster1' }));
    expect(JSON.parse(out)).toEqual({ dryRun: false, deleted });
    expect((await hub('get', 'works', 'one')).code).toBe(1);
  });

  it('waits for the agent, not longer than asked, and drops the work by force', async () => {
    const { code, err } = await hub('delete', 'work', 'late', '-c', 'cluster1', '--timeout', '0');
    expect(code).toBe(4);
    expect(err).toContain('the agent deletes what it applied');
    const again = await hub('delete', 'work', 'late', '-c', 'cluster1', '--no-wait');
    expect(again).toMatchObject({ code: 0, out: 'work late in cluster cluster1 is being deleted\n' });
    const forced = await hub('delete', 'work', 'late', '-c', 'cluster1', '--force');
    expect(forced).toMatchObject({ code: 0, out: 'work late in cluster cluster1 is deleted\n' });
    expect(await works().find('cluster1/late')).toBeUndefined();
  });
});
