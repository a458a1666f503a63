import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Annotation,
  Label,
  manifestWorkReplicaSets,
  manifestWorks,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { runHub } from '@flotilla/hub-runtime';
import { realClock, silentLogger } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub'>;
let directory: string;
const end = new AbortController();
let ended: Promise<void>;

const client = () => world.planes.hub.client;
const hub = (...argv: string[]) => world.flotilla(['--kubeconfig', 'hub', ...argv]);
const rollout = (command: string, ...flags: string[]) => hub('rollout', command, 'mwrs/web', ...flags);
const file = (name: string) => join(directory, name);
const poll = { timeout: 20_000, interval: 50 };

const select = async (...clusters: string[]) => {
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  const body = { status: { decisions } };
  await client().resource(placementDecisions).status.patch('default/all-decision-1', { type: 'merge', body });
};
const versions = async () => {
  const { items } = await client().resource(manifestWorks).list({ labelSelector: Label.ManifestWorkReplicaSet });
  return items.map(({ metadata, spec }) => {
    const text = JSON.stringify(spec?.workload?.manifests);
    return `${metadata?.namespace} ${/"version":"(\w+)"/.exec(text)?.[1]}`;
  });
};
const report = async (status: 'True' | 'False') => {
  for (const { metadata } of (await client().resource(manifestWorks).list()).items) {
    const condition = { status, reason: 'Test', message: 'no such kind', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const conditions = ['Applied', 'Available'].map((type) => ({
      ...condition,
      type,
      observedGeneration: metadata?.generation,
    }));
    const key = `${metadata?.namespace}/${metadata?.name}`;
    await client()
      .resource(manifestWorks)
      .status.patch(key, { type: 'merge', body: { status: { conditions } } });
  }
};

beforeAll(async () => {
  world = await startWorld('hub');
  directory = await mkdtemp(join(tmpdir(), 'flotilla-cli-'));
  const configMap = (version: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: default}\ndata: {version: ${version}}\n`;
  for (const version of ['v1', 'v2']) await writeFile(file(`${version}.yaml`), configMap(version));
  await hub('init');
  for (const name of ['cluster1', 'cluster2', 'cluster3']) {
    await register(client(), name);
    await client().resource(namespaces).create({ metadata: { name } });
  }
  await client()
    .resource(placements)
    .create({ metadata: { namespace: 'default', name: 'all' }, spec: {} });
  const labels = { [Label.Placement]: 'all', [Label.DecisionGroupIndex]: '0', [Label.DecisionGroupName]: '' };
  const metadata = { namespace: 'default', name: 'all-decision-1', labels };
  await client().resource(placementDecisions).create({ metadata });
  ended = runHub({
    client: client(),
    drivers: [],
    components: ['work'],
    gates: { ManifestWorkReplicaSet: true, ManifestWorkReplicaSetRevisions: true },
    signal: end.signal,
    clock: realClock,
    log: silentLogger,
  });
});
afterAll(async () => {
  end.abort();
  await ended;
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe('flotilla create work --placement', () => {
  const create = (...flags: string[]) =>
    hub('create', 'work', 'plain', '-f', file('v1.yaml'), '--placement', 'default/all', ...flags);

  it('refuses a placement that does not exist, or selects nothing', async () => {
    const absent = await hub('create', 'work', 'plain', '-f', file('v1.yaml'), '--placement', 'default/none');
    expect([absent.code, absent.err]).toEqual([3, expect.stringContaining('there is no Placement none')]);
    const empty = await create();
    expect([empty.code, empty.err]).toEqual([3, expect.stringContaining('selects no cluster')]);
  });

  it('creates works on the selected clusters, and deletes others only with --overwrite', async () => {
    await select('cluster1', 'cluster2');
    expect((await create()).out).toBe('create work plain in cluster cluster1\ncreate work plain in cluster cluster2\n');
    await select('cluster2', 'cluster3');
    const { out, err } = await create();
    expect(out).toContain('create work plain in cluster cluster3');
    expect(err).toContain('work plain in cluster cluster1 stays, although it is not selected any more');
    expect((await create('--overwrite')).out).toContain('delete work plain in cluster cluster1');
    const { items } = await client().resource(manifestWorks).list();
    expect(items.map(({ metadata }) => metadata?.namespace)).toEqual(['cluster2', 'cluster3']);
    for (const { metadata } of items) {
      await client().resource(manifestWorks).delete(`${metadata?.namespace}/${metadata?.name}`);
    }
  });
});

describe('flotilla rollout', () => {
  const create = (version: string, ...flags: string[]) =>
    hub('create', 'work', 'web', '-f', file(`${version}.yaml`), '--placement', 'default/all', '-r', ...flags);

  it('refuses what it cannot roll out', async () => {
    const deployment = await hub('rollout', 'status', 'deployment/web');
    expect([deployment.code, deployment.err]).toEqual([2, expect.stringContaining('only mwrs can')]);
    const nameless = await hub('rollout', 'status', 'mwrs');
    expect([nameless.code, nameless.err]).toEqual([2, expect.stringContaining('the name of one')]);
    const absent = await rollout('status');
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('there is no ManifestWorkReplicaSet web')]);
  });

  it('follows, goes back, holds and goes on', async () => {
    await select('cluster1', 'cluster2');
    expect((await create('v1')).out).toBe('create work replicaset web in namespace default\n');
    expect((await create('v1')).out).toContain('already exists');
    expect((await create('v2')).code).toBe(3);
    await expect.poll(versions, poll).toEqual(['cluster1 v1', 'cluster2 v1']);
    expect((await rollout('status', '--watch=false')).out).toContain('0 of 2 clusters with the newest template');
    await report('True');
    expect((await rollout('status')).out).toContain('mwrs "web" successfully rolled out to 2 clusters');

    const body = { metadata: { annotations: { [Annotation.ChangeCause]: 'version 2' } } };
    await client().resource(manifestWorkReplicaSets).patch('default/web', { type: 'merge', body });
    expect((await create('v2', '--overwrite')).out).toBe('update work replicaset web in namespace default\n');
    await expect.poll(versions, poll).toEqual(['cluster1 v2', 'cluster2 v2']);
    await expect
      .poll(async () => (await rollout('history')).out, poll)
      .toBe('REVISION   CHANGE-CAUSE\n1          <none>\n2          version 2\n');
    expect((await rollout('history', '--revision', '1')).out).toContain('version: v1');

    expect((await rollout('pause')).out).toBe('mwrs/web paused\n');
    const paused = await rollout('undo');
    expect([paused.code, paused.err]).toEqual([3, expect.stringContaining('is paused')]);
    expect((await rollout('resume')).out).toBe('mwrs/web resumed\n');
    expect((await rollout('undo', '--dry-run')).out).toBe('mwrs/web rolled back to revision 1 (dry run)\n');
    expect((await rollout('undo')).out).toBe('mwrs/web rolled back to revision 1\n');
    await expect.poll(versions, poll).toEqual(['cluster1 v1', 'cluster2 v1']);
    await expect.poll(async () => (await rollout('history')).out, poll).toContain('3          <none>');
    expect((await rollout('undo', '--to-revision', '3')).out).toContain('skipped rollback');
    expect((await rollout('undo', '--to-revision', '9')).code).toBe(1);
  });

  it('fails when the rollout is stopped, and names the clusters', async () => {
    const progressive = { maxConcurrency: 1 };
    const placementRefs = [{ name: 'all', rolloutStrategy: { type: 'Progressive', progressive } }];
    const body = { spec: { placementRefs } };
    await client().resource(manifestWorkReplicaSets).patch('default/web', { type: 'merge', body });
    await report('False');
    const { code, err } = await rollout('status');
    expect(code).toBe(1);
    expect(err).toContain('the rollout of web is stopped: 2 of 2 clusters failed');
    expect(err).toContain('cluster1: no such kind');
    expect(err).toContain('flotilla rollout undo mwrs web');
  });

  it('says which strategy cannot be understood', async () => {
    const progressive = { maxConcurrency: 1, minSuccessTime: 'soon' };
    const placementRefs = [{ name: 'all', rolloutStrategy: { type: 'Progressive', progressive } }];
    await client()
      .resource(manifestWorkReplicaSets)
      .patch('default/web', { type: 'merge', body: { spec: { placementRefs } } });
    const { code, err } = await rollout('status');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('the rollout to placement all cannot be planned: "soon" is not a duration'),
    ]);
    expect((await hub('explain', 'mwrs', 'web')).out).toContain(
      'Placement all (Progressive): "soon" is not a duration',
    );
  });
});

describe('flotilla get replicasets and explain replicaset', () => {
  const strategy = async (progressive: object) => {
    const placementRefs = [{ name: 'all', rolloutStrategy: { type: 'Progressive', progressive } }];
    await client()
      .resource(manifestWorkReplicaSets)
      .patch('default/web', { type: 'merge', body: { spec: { placementRefs } } });
  };

  it('show a rollout that was stopped, and what failed', async () => {
    await strategy({ maxConcurrency: 1 });
    await select('cluster1', 'cluster2', 'cluster3');
    const shown = async () => (await hub('get', 'mwrs')).out.split('\n')[1]?.split(/ {2,}/) ?? [];
    await expect
      .poll(async () => (await shown()).slice(0, 6), poll)
      .toEqual(['default', 'web', 'MaxFailuresExceeded', '3', '2', '0']);
    expect((await shown()).at(-1)).toContain('2 clusters failed: cluster1: no such kind; cluster2: no such kind.');
    expect((await hub('get', 'replicasets', '-n', 'default', '-o', 'name')).out).toBe(
      'manifestworkreplicaset.work.open-cluster-management.io/web\n',
    );
    expect((await hub('get', 'mwrs', '-o', 'wide')).out).toContain('Progressive');

    const { out } = await hub('explain', 'mwrs', 'web');
    expect(out.split('\n').map((line) => line.split(/ {2,}/).join(' | '))).toEqual([
      'ManifestWorkReplicaSet default/web: 3 clusters, 2 failed, 1 waiting.',
      '',
      'Placement all (Progressive): more clusters failed than maxFailures allows: cluster1, cluster2',
      'CLUSTER | GROUP | STEP | WHY',
      'cluster1 | 0 | Failed | no such kind',
      'cluster2 | 0 | Failed | no such kind',
      'cluster3 | 0 | Waiting | more clusters failed than maxFailures allows: cluster1, cluster2',
      '',
    ]);
  });

  it('show what the rollout waits for', async () => {
    await report('True');
    await strategy({ maxConcurrency: 1, minSuccessTime: '1h' });
    await expect.poll(async () => (await hub('get', 'mwrs', 'web')).out, poll).toContain('Progressing');
    const { out } = await hub('explain', 'mwrs', 'web', '-o', 'json', '--clusters', 'cluster1');
    expect(JSON.parse(out)).toMatchObject({
      replicaSet: 'default/web',
      placements: [
        { placement: 'all', held: 'waits for cluster1', clusters: [{ cluster: 'cluster1', step: 'Soaking' }] },
      ],
    });
    expect((await hub('explain', 'mwrs', 'web')).out).toMatch(/cluster1 +0 +Soaking +must stay so for \d+s/);
  });

  it('say why a replica set with a long name has no works', async () => {
    const name = 'x'.repeat(60);
    const metadata = { namespace: 'default', name };
    const spec = { cascadeDeletionPolicy: 'Background' as const, placementRefs: [{ name: 'all' }] };
    await client()
      .resource(manifestWorkReplicaSets)
      .create({ metadata, spec: { ...spec, manifestWorkTemplate: { workload: { manifests: [] } } } });
    for (const command of [['explain'], ['rollout', 'status'], ['rollout', 'history']]) {
      const { code, err } = await hub(...command, 'mwrs', name);
      expect([code, err]).toEqual([1, expect.stringContaining('which takes 63 characters, and it has 68')]);
    }
    await client().resource(manifestWorkReplicaSets).delete(`default/${name}`);
  });

  it('name what does not exist', async () => {
    const absent = await hub('get', 'mwrs', 'nope', '-n', 'default');
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('there is no ManifestWorkReplicaSet nope')]);
    const nameless = await hub('explain', 'mwrs');
    expect([nameless.code, nameless.err]).toEqual([
      2,
      expect.stringContaining('the name of the ManifestWorkReplicaSet'),
    ]);
    const cluster = await hub('explain', 'mwrs', 'web', '--clusters', 'cluster9');
    expect([cluster.code, cluster.err]).toEqual([
      1,
      expect.stringContaining('no placement of web selects cluster cluster9'),
    ]);
    await client().resource(manifestWorkReplicaSets).delete('default/web');
    await expect.poll(async () => (await hub('get', 'mwrs')).err, poll).toBe('No resources found\n');
  });
});
