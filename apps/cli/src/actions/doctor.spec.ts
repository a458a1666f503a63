import {
  clusterManagementAddOns,
  clusterManagers,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { deployments, namespaces } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { addNode } from '../fixtures/nodes.ts';

describe('flotilla doctor', () => {
  let world: CliWorld<'hub' | 'managed' | 'plain'>;
  const doctor = (name: string, ...flags: string[]) => world.flotilla(['doctor', '--kubeconfig', name, ...flags]);
  beforeAll(async () => {
    world = await startWorld('hub', 'managed', 'plain');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('says that a cluster is neither a hub nor joined', async () => {
    const { code, err } = await doctor('plain');
    expect([code, err]).toEqual([3, expect.stringContaining('neither a hub nor joined')]);
  });

  it('checks a hub, warns about what is not there yet, and changes nothing', async () => {
    const before = await listAllObjects(world.planes.hub.client);
    const { code, out } = await doctor('hub');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +API server: answers/m);
    expect(out).toMatch(/^ok +admission: webhooks and policies answer/m);
    expect(out).toMatch(/^WARNING +controllers: no process leads them.*\n +→ Start them/m);
    expect(await listAllObjects(world.planes.hub.client)).toEqual(before);
  });

  it('names clusters and works that are not in order, with the command that says more', async () => {
    const { client } = world.planes.hub;
    await client.resource(namespaces).create({ metadata: { name: 'c1' } });
    await client.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } });
    await client.resource(manifestWorks).create({ metadata: { name: 'w', namespace: 'c1' }, spec: {} });
    const { code, out } = await doctor('hub', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'clusters', state: 'failed', message: 'not available: c1' }),
        expect.objectContaining({ check: 'works', fix: 'flotilla explain work w --cluster c1' }),
      ]),
    );
  });

  it('names a rollout of an add-on that is stalled, as get addons does', async () => {
    const { client } = world.planes.hub;
    const placement = { namespace: 'default', name: 'all' };
    await client.resource(clusterManagementAddOns).create({
      metadata: { name: 'hello' },
      spec: { installStrategy: { type: 'Placements', placements: [placement] } },
    });
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const message = 'more clusters failed than maxFailures allows: c7';
    const conditions = [
      { type: 'Stalled', status: 'True', reason: 'MaxFailuresExceeded', message, lastTransitionTime },
    ] as const;
    const body = { status: { installProgressions: [{ ...placement, conditions: [...conditions] }] } };
    await client.resource(clusterManagementAddOns).status.patch('hello', { type: 'merge', body });
    const { code, out } = await doctor('hub');
    expect(code).toBe(1);
    expect(out).toMatch(
      /FAILED +rollouts: add-on hello, placement default\/all: .*allows: c7\n +→ flotilla explain addon hello/,
    );
    const listed = await world.flotilla(['get', 'addons', '--kubeconfig', 'hub', '-o', 'wide']);
    expect(listed.out).toContain('default/all (stalled)');
    expect(listed.out).toContain(message);
  });

  it('names an add-on that is Available and cannot be rendered any more, as get addons does', async () => {
    const { client } = world.planes.hub;
    const metadata = { namespace: 'c1', name: 'hello' };
    await client.resource(managedClusterAddOns).create({ metadata, spec: {} });
    const report = (type: string, status: 'True' | 'False', message: string) =>
      ({ type, status, reason: 'x', message, lastTransitionTime: '2026-01-01T00:00:00Z' }) as const;
    const message = 'add-on hello on cluster c1: render threw';
    const conditions = [report('Available', 'True', ''), report('ManifestApplied', 'False', message)];
    const body = { status: { conditions } };
    await client.resource(managedClusterAddOns).status.patch('c1/hello', { type: 'merge', body });
    const { code, out } = await doctor('hub');
    expect(code).toBe(1);
    expect(out).toMatch(
      /FAILED +add-ons: 1 of 1 cannot be changed: hello on c1: .*render threw\n +→ flotilla explain addon hello --cluster c1/,
    );
    const listed = await world.flotilla(['get', 'addons', '--kubeconfig', 'hub', '-o', 'wide']);
    expect(listed.out).toContain(`c1: ${message}`);
  });

  it('leaves out an add-on that is being removed', async () => {
    const { client } = world.planes.hub;
    const handle = client.resource(managedClusterAddOns);
    const body = { metadata: { finalizers: ['example.com/clean-up'] } };
    await handle.patch('c1/hello', { type: 'merge', body });
    await handle.delete('c1/hello');
    expect((await handle.find('c1/hello'))?.metadata?.deletionTimestamp).toBeDefined();
    expect((await doctor('hub')).out).toMatch(/^ok +add-ons: there are none/m);
  });

  it('checks a cluster, and says that its agent has no credentials yet', async () => {
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    const hub = ['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']];
    const pin = ['--hub-ca-hash', value['hub-ca-hashes'][0]];
    await world.flotilla(['join', '--kubeconfig', 'managed', ...hub, ...pin, '--cluster-name', 'c2']);
    const { code, out } = await doctor('managed');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /WARNING +hub of c2: the agent has no credentials yet.*\n +→ On the hub: flotilla accept --clusters c2/,
      ),
    ]);
  });
});

describe('flotilla doctor on clusters with an operator', () => {
  it('looks at what runs, and not at conditions that are as old as the operator', async () => {
    await using world = await startWorld('hub');
    const { client } = world.planes.hub;
    await addNode(world.planes.hub);
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const doctor = async () => (await world.flotilla(['doctor', 'hub', '--kubeconfig', 'hub'])).out;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const applied = { type: 'Applied', status: 'True', reason: 'x', message: '', lastTransitionTime } as const;
    const body = { status: { conditions: [applied] } };
    await client.resource(clusterManagers).status.patch('cluster-manager', { type: 'merge', body });
    const hubNamespace = 'open-cluster-management-hub';
    const operator = await client.resource(deployments).get('open-cluster-management/cluster-manager');
    expect(await doctor()).toMatch(/FAILED +programs: there is no Deployment in namespace open-cluster-management-hub/);

    await client.resource(namespaces).create({ metadata: { name: hubNamespace } });
    const metadata = { namespace: hubNamespace, name: 'cluster-manager-registration-webhook' };
    await client.resource(deployments).create({ ...operator, metadata });
    const scale = { type: 'merge', body: { spec: { replicas: 0 } } } as const;
    await client.resource(deployments).patch('open-cluster-management/cluster-manager', scale);
    const out = await doctor();
    expect(out).toMatch(
      /FAILED +operator: Deployment \S+ is scaled to 0 replicas\n +→ .* scale deployment cluster-manager/,
    );
    expect(out).toMatch(/WARNING +clustermanager\/cluster-manager: 1 conditions .* as old as the last run/);
    expect(out).toMatch(
      /FAILED +programs: pods are missing: cluster-manager-registration-webhook \(0 of \d available\)/,
    );
    expect(out).toMatch(/FAILED +controllers: no process leads them\n +→ See why their pods do not run/);
  });
});

describe('flotilla delete token', () => {
  it('[cli A44] ends tokens that were given out, until get token allows new ones', async () => {
    await using world = await startWorld('hub', 'managed');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const token = async () =>
      JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    const value = await token();
    const join = () =>
      world.flotilla([
        ...[
          'join',
          '--kubeconfig',
          'managed',
          '--cluster-name',
          'c1',
          '--dry-run',
          '--hub-ca-hash',
          value['hub-ca-hashes'][0],
        ],
        ...['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']],
      ]);
    expect(await join()).toMatchObject({ code: 0 });
    const { out } = await world.flotilla(['delete', 'token', '--kubeconfig', 'hub']);
    expect(out).toContain('Removed ServiceAccount open-cluster-management/agent-registration-bootstrap');
    expect(out).toContain('Removed ClusterRoleBinding open-cluster-management:bootstrap:managedcluster');
    expect(await join()).toMatchObject({ code: 3 });
    expect((await token())['hub-token']).not.toBe(value['hub-token']);
  });
});
