import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterManagers, klusterlets } from '@flotilla/api-types';
import { customResourceDefinitions, deployments } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { addNode } from '../fixtures/nodes.ts';

describe('flotilla upgrade', () => {
  let world: CliWorld<'hub'>;
  let directory: string;
  const client = () => world.planes.hub.client;
  const upgrade = (...args: string[]) => world.flotilla(['upgrade', ...args, '--kubeconfig', 'hub']);
  const hub = async () => (await client().resource(clusterManagers).get('cluster-manager')).spec;
  const agent = async () => (await client().resource(klusterlets).get('klusterlet')).spec;
  const operator = async (name: string) =>
    (await client().resource(deployments).get(`open-cluster-management/${name}`)).spec;
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  beforeAll(async () => {
    world = await startWorld('hub');
    directory = mkdtempSync(join(tmpdir(), 'flotilla-upgrade-'));
    await addNode(world.planes.hub);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('needs something to upgrade', async () => {
    for (const args of [['clustermanager'], ['klusterlet'], ['plan']]) {
      expect(await upgrade(...args), args[0]).toMatchObject({ code: 3 });
    }
  });

  it('[cli A52] changes the images of operator and hub, keeps all else, and shows it before', async () => {
    const values = file(
      'hub.yaml',
      'replicaCount: 2\nimages: { registry: mirror.local/fleet }\nenableSyncLabels: true\n',
    );
    await world.flotilla([
      'init',
      '--kubeconfig',
      'hub',
      '--registration-drivers',
      'csr',
      '--cluster-manager-values-file',
      values,
    ]);
    const before = await listAllObjects(client());
    const earlier = await hub();
    for (const args of [
      ['plan', '--bundle-version', 'latest'],
      ['clustermanager', '--bundle-version', 'latest', '--dry-run'],
    ]) {
      const { code, out } = await upgrade(...args);
      const tag = `mirror.local/fleet/hub:v${manifest.version} → mirror.local/fleet/hub:latest`;
      expect([code, out]).toEqual([0, expect.stringContaining(`spec.registrationImagePullSpec: ${tag}`)]);
    }
    expect(await listAllObjects(client())).toEqual(before);
    expect(await upgrade('clustermanager', '--bundle-version', 'latest')).toMatchObject({ code: 0 });
    const image = 'mirror.local/fleet/hub:latest';
    expect(await hub()).toEqual({
      ...earlier,
      registrationImagePullSpec: image,
      workImagePullSpec: image,
      placementImagePullSpec: image,
      addOnManagerImagePullSpec: image,
    });
    const { replicas, template } = (await operator('cluster-manager')) ?? {};
    expect([replicas, template?.spec?.containers[0]]).toMatchObject([
      2,
      { image: 'mirror.local/fleet/operator:latest', args: expect.arrayContaining(['--enable-sync-labels']) },
    ]);
    expect((await upgrade('clustermanager', '--bundle-version', 'latest', '--dry-run')).out).toContain('is up to date');
  });

  it('keeps the priority class and the pull policy of the operator, also where nothing names them', async () => {
    const values = file('policy.yaml', 'priorityClassName: important\nimages: { imagePullPolicy: Always }\n');
    await world.flotilla(['init', '--kubeconfig', 'hub', '--cluster-manager-values-file', values]);
    expect(await upgrade('clustermanager', '--bundle-version', 'latest')).toMatchObject({ code: 0 });
    expect((await operator('cluster-manager'))?.template.spec).toMatchObject({
      priorityClassName: 'important',
      containers: [{ imagePullPolicy: 'Always' }],
    });
  });

  it('takes values of a file away again', async () => {
    const args = async () => (await operator('cluster-manager'))?.template.spec?.containers[0]?.args ?? [];
    expect(await args()).toContain('--enable-sync-labels');
    const values = file('less.yaml', 'enableSyncLabels: false\n');
    const flags = ['--bundle-version', 'latest', '--cluster-manager-values-file', values];
    expect(await upgrade('clustermanager', ...flags)).toMatchObject({ code: 0 });
    expect(await args()).not.toContain('--enable-sync-labels');
  });

  it('shows what it changes before it asks, the definitions too, and changes nothing without a yes', async () => {
    const definition = 'clustermanagers.operator.open-cluster-management.io';
    await client()
      .resource(customResourceDefinitions)
      .patch(definition, { type: 'merge', body: { spec: { names: { singular: 'manager' } } } });
    const before = await listAllObjects(client());
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return 'n';
    };
    const args = ['upgrade', 'clustermanager', '--bundle-version', 'latest', '--kubeconfig', 'hub'];
    const { code, err } = await world.flotilla(args, { ask });
    expect([code, questions, err]).toEqual([1, ['Change it? [y/N] '], expect.stringContaining(definition)]);
    expect(await listAllObjects(client())).toEqual(before);
    expect(await world.flotilla([...args, '--yes'], { ask })).toMatchObject({ code: 0 });
    expect(questions).toHaveLength(1);
  });

  it('refuses to go back, unless it is forced', async () => {
    const newer = file('newer.json', '{"flotilla": "v99.0.0"}');
    expect(await upgrade('clustermanager', '--bundle-version-overrides', newer)).toMatchObject({ code: 0 });
    const { code, err } = await upgrade('clustermanager');
    expect([code, err]).toEqual([
      3,
      expect.stringContaining(`v99.0.0 is installed, and v${manifest.version} is older`),
    ]);
    expect(await upgrade('clustermanager', '--force')).toMatchObject({ code: 0 });
    expect((await hub())?.workImagePullSpec).toBe(`mirror.local/fleet/hub:v${manifest.version}`);
  });

  it('plans for each agent, also for those that are hosted', async () => {
    const plan = async () => JSON.parse((await upgrade('plan', '-o', 'json')).out);
    const { klusterletDefinitions } = await import('@flotilla/install/chart');
    const { applyObjects } = await import('@flotilla/install');
    const { realClock } = await import('@flotilla/kube');
    const owner = { labels: {}, fieldManager: 'test' };
    await applyObjects(client(), await klusterletDefinitions(), { owner, clock: realClock });
    const spec = { clusterName: 'c2', deployOption: { mode: 'Hosted' } };
    const handle = client().resource(klusterlets);
    await handle.create({ metadata: { name: 'klusterlet-hosted-abc' }, spec });
    expect((await plan()).map(({ name }: { name: string }) => name)).toContain('klusterlet-hosted-abc');
    expect((await upgrade('plan')).out).toContain('upgrade klusterlet --name klusterlet-hosted-abc');
    await handle.delete('klusterlet-hosted-abc');
  });

  it('[cli A53] takes more from a file of values, but not who the cluster is', async () => {
    const given = { clusterName: 'c1', namespace: 'open-cluster-management-agent', deployOption: { mode: 'Default' } };
    const { klusterletDefinitions } = await import('@flotilla/install/chart');
    const { applyObjects } = await import('@flotilla/install');
    const { realClock } = await import('@flotilla/kube');
    const owner = { labels: {}, fieldManager: 'test' };
    await applyObjects(client(), await klusterletDefinitions(), { owner, clock: realClock });
    await client()
      .resource(klusterlets)
      .create({ metadata: { name: 'klusterlet' }, spec: given });
    const values = file(
      'agent.yaml',
      'klusterlet: { nodePlacement: { nodeSelector: { a: b } }, workConfiguration: { featureGates: [{ feature: RawFeedbackJsonString, mode: Enable }] } }\n',
    );
    expect(await upgrade('klusterlet', '--klusterlet-values-file', values)).toMatchObject({ code: 0 });
    expect(await agent()).toMatchObject({
      ...given,
      imagePullSpec: `flotilla/singleton:v${manifest.version}`,
      nodePlacement: { nodeSelector: { a: 'b' } },
      workConfiguration: { featureGates: [{ feature: 'RawFeedbackJsonString', mode: 'Enable' }] },
    });
    const other = file('other.yaml', 'klusterlet: { clusterName: c2 }\n');
    const { code, err } = await upgrade('klusterlet', '--klusterlet-values-file', other);
    expect([code, err]).toEqual([2, expect.stringContaining('an upgrade does not change clusterName')]);
  });
});
