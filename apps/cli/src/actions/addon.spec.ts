import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
} from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { placementRefOf } from './addon-create.ts';

let world: CliWorld<'hub'>;
let directory: string;
const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
const client = () => world.planes.hub.client;
const path = (name: string) => join(directory, name);

const manifests = `apiVersion: v1
kind: ConfigMap
metadata: { name: hello }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: hello }
`;
const configs = ['small', 'large']
  .map(
    (name) => `---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: AddOnDeploymentConfig
metadata: { name: ${name}, namespace: default }
spec: { customizedVariables: [{ name: SIZE, value: ${name} }] }
`,
  )
  .join('');

beforeAll(async () => {
  world = await startWorld('hub');
  await hub('init');
  directory = await mkdtemp(join(tmpdir(), 'flotilla-addon-'));
  await writeFile(path('hello.yaml'), manifests);
  await writeFile(path('other.yaml'), manifests.replaceAll('hello', 'other'));
  await writeFile(path('configs.yaml'), configs);
  for (const name of ['c1', 'c2']) {
    await client().resource(managedClusters).create({ metadata: { name }, spec: {} });
    await client().resource(namespaces).create({ metadata: { name } });
  }
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  const onClusters = client().resource(managedClusterAddOns);
  for (const addOn of (await onClusters.list()).items) await onClusters.delete(keyOf(addOn));
  const offered = client().resource(clusterManagementAddOns);
  for (const addOn of (await offered.list()).items) await offered.delete(keyOf(addOn));
  const templates = client().resource(addOnTemplates);
  for (const template of (await templates.list()).items) await templates.delete(keyOf(template));
});

const create = (...argv: string[]) => hub('addon', 'create', 'hello', '-f', path('hello.yaml'), ...argv);

describe('flotilla addon create', () => {
  it('[cli A45] offers the objects of a file by a template, both with the labels', async () => {
    expect(await create('--labels', 'a=b')).toMatchObject({
      code: 0,
      out: 'AddOnTemplate hello-0.0.1 is created\nClusterManagementAddOn hello is created\n',
      err: 'v1 ConfigMap open-cluster-management-agent-addon/hello: has no namespace, so that of add-ons is used\n',
    });
    const template = await client().resource(addOnTemplates).get('hello-0.0.1');
    expect(template).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: {
        addonName: 'hello',
        agentSpec: {
          workload: {
            manifests: [
              { kind: 'ConfigMap', metadata: { name: 'hello', namespace: 'open-cluster-management-agent-addon' } },
              { kind: 'ClusterRole', metadata: { name: 'hello' } },
            ],
          },
        },
      },
    });
    expect(template.spec?.registration).toBeUndefined();
    expect(await client().resource(clusterManagementAddOns).get('hello')).toMatchObject({
      metadata: { labels: { a: 'b' }, annotations: { 'addon.open-cluster-management.io/lifecycle': 'addon-manager' } },
      spec: {
        defaultConfigs: [
          { group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello-0.0.1' },
        ],
        installStrategy: { type: 'Manual' },
      },
    });
  });

  it('[cli A46] installs by the placement of a reference', async () => {
    await create('--placement-ref', ' ns / p ');
    expect((await client().resource(clusterManagementAddOns).get('hello')).spec?.installStrategy).toMatchObject({
      type: 'Placements',
      placements: [{ namespace: 'ns', name: 'p' }],
    });
    expect(placementRefOf('')).toBeUndefined();
    for (const text of ['p', 'a/b/c']) expect(() => placementRefOf(text), text).toThrow("format 'namespace/name'");
    for (const text of ['/p', 'ns/']) expect(() => placementRefOf(text), text).toThrow('cannot be empty');
    expect(await create('--placement-ref', 'p')).toMatchObject({ code: 2 });
  });

  it('gives the agent credentials and a role, if it is asked to', async () => {
    await create('--hub-registration', '--cluster-role-bind', 'reader');
    expect((await client().resource(addOnTemplates).get('hello-0.0.1')).spec?.registration).toEqual([
      {
        type: 'KubeClient',
        kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reader' } }] },
      },
    ]);
  });

  it.each([
    ['no file', ['hello'], 2, 'manifest files must be specified'],
    ['no name', [], 2, 'the name of the add-on must be specified'],
    ['a name that cannot be one', ['Hello', '-f', 'x'], 2, '"Hello" cannot be the name of an add-on'],
    ['a version that cannot be one', ['hello', '-f', 'x', '--version', 'v1/2'], 2, '--version: "v1/2"'],
    ['a role without credentials', ['hello', '-f', 'x', '--cluster-role-bind', 'r'], 2, 'needs --hub-registration'],
    ['a file that is not there', ['hello', '-f', '/nowhere'], 2, '/nowhere cannot be read'],
  ])('refuses %s', async (_, argv, code, message) => {
    expect(await hub('addon', 'create', ...argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  it('changes nothing in a dry run, and nothing when it is repeated', async () => {
    expect((await create('--dry-run')).out).toContain('ClusterManagementAddOn hello is created (dry run)\n');
    expect(await client().resource(addOnTemplates).find('hello-0.0.1')).toBeUndefined();
    await create();
    const before = await client().resource(clusterManagementAddOns).get('hello');
    expect((await create()).out).toBe(
      'AddOnTemplate hello-0.0.1 already exists\nClusterManagementAddOn hello already exists\n',
    );
    expect(await client().resource(clusterManagementAddOns).get('hello')).toEqual(before);
  });

  it('replaces what exists only if it is asked to, and keeps what the administrator set', async () => {
    await create('--placement-ref', 'ns/p');
    const rolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: '25%' } };
    const placement = { namespace: 'ns', name: 'p', rolloutStrategy };
    await client()
      .resource(clusterManagementAddOns)
      .patch('hello', {
        type: 'merge',
        body: { spec: { installStrategy: { type: 'Placements', placements: [placement] } } },
      });
    const other = ['addon', 'create', 'hello', '-f', path('other.yaml'), '--version', '0.0.2'];
    expect(await hub(...other)).toMatchObject({
      code: 3,
      err: expect.stringContaining('ClusterManagementAddOn hello already exists, with other content'),
    });
    expect(await client().resource(addOnTemplates).find('hello-0.0.2')).toBeUndefined();
    expect((await hub(...other, '--overwrite', '--placement-ref', 'ns/p')).out).toBe(
      'AddOnTemplate hello-0.0.2 is created\nClusterManagementAddOn hello is updated\n',
    );
    expect((await client().resource(clusterManagementAddOns).get('hello')).spec).toMatchObject({
      defaultConfigs: [{ name: 'hello-0.0.2' }],
      installStrategy: { placements: [placement] },
    });
    expect(await client().resource(addOnTemplates).find('hello-0.0.1')).toBeDefined();
  });

  it('prints what it made for other programs', async () => {
    const { out } = await create('-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'List',
      items: [{ kind: 'AddOnTemplate' }, { kind: 'ClusterManagementAddOn', metadata: { uid: expect.any(String) } }],
    });
    expect((await create('-o', 'name')).out).toBe(
      'addontemplate.addon.open-cluster-management.io/hello-0.0.1\nclustermanagementaddon.addon.open-cluster-management.io/hello\n',
    );
    expect((await create('-o', 'yaml')).out).toContain('---\napiVersion: addon.open-cluster-management.io/v1alpha1\n');
  });
});

describe('flotilla addon enable', () => {
  const enable = (...argv: string[]) => hub('addon', 'enable', '--names', 'hello', ...argv);
  const onCluster = (cluster: string) => client().resource(managedClusterAddOns).find(`${cluster}/hello`);

  it('[cli A47] refuses an unknown cluster and an unknown add-on, and creates nothing', async () => {
    await create();
    expect(await enable('--clusters', 'c1,nope')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no ManagedCluster nope'),
    });
    expect(await hub('addon', 'enable', '--names', 'hello,nope', '-c', 'c1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('enabling the unknown addon nope is not supported'),
    });
    expect((await client().resource(managedClusterAddOns).list()).items).toEqual([]);
  });

  it('[cli A48] applies the configurations of a file, and refers to them in their order', async () => {
    await create();
    const reference = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
    expect(await enable('-c', 'c1')).toMatchObject({ code: 0 });
    expect((await onCluster('c1'))?.spec).toEqual({});
    expect(await enable('-c', 'c1', '--config-file', path('configs.yaml'))).toMatchObject({
      code: 0,
      err: 'AddOnDeploymentConfig default/small is applied\nAddOnDeploymentConfig default/large is applied\n',
    });
    expect((await onCluster('c1'))?.spec?.configs).toEqual([
      { ...reference, namespace: 'default', name: 'small' },
      { ...reference, namespace: 'default', name: 'large' },
    ]);
    expect(await client().resource(addOnDeploymentConfigs).find('default/small')).toBeDefined();
    expect(await enable('-c', 'c1', '--config-file', '/nowhere')).toMatchObject({
      code: 2,
      err: expect.stringContaining('failed to read config file'),
    });
  });

  it('says where the agent goes, and keeps what was said before', async () => {
    await create();
    const flags = ['--labels', 'team=a', '--annotate', 'note=b'];
    expect((await enable('--clusters', 'c1,c2', '-n', 'agents', ...flags)).out).toBe(
      'Deploying hello add-on to namespaces agents of managed cluster: c1.\nDeploying hello add-on to namespaces agents of managed cluster: c2.\n',
    );
    expect(await onCluster('c2')).toMatchObject({
      metadata: {
        labels: { team: 'a' },
        annotations: { note: 'b', 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'agents' },
      },
    });
    const before = await onCluster('c1');
    expect((await enable('-c', 'c1')).out).toBe('hello add-on is enabled already on managed cluster: c1.\n');
    expect(await onCluster('c1')).toEqual(before);
  });

  it('names the namespace of add-ons where none is said, and changes nothing in a dry run', async () => {
    await create();
    expect((await enable('-c', 'c1', '--dry-run')).out).toBe(
      'Deploying hello add-on to namespaces open-cluster-management-agent-addon of managed cluster: c1. (dry run)\n',
    );
    expect(await onCluster('c1')).toBeUndefined();
  });

  it('waits until the add-on is Available, and says what it waits for', async () => {
    await create();
    expect(await enable('-c', 'c1', '--wait', '--timeout', '0')).toMatchObject({
      code: 4,
      err: expect.stringContaining('flotilla explain addon hello --cluster c1'),
    });
    await report('c1', [{ type: 'Available', status: 'True' }]);
    expect(await enable('-c', 'c1', '--wait')).toMatchObject({ code: 0 });
  });

  it.each([
    ['no names', ['-c', 'c1'], 'names is missing'],
    ['no cluster', ['--names', 'hello'], 'either --cluster or --clusters needs to be set'],
    ['a namespace that cannot be one', ['--names', 'hello', '-c', 'c1', '-n', 'A'], '--namespace: "A"'],
  ])('refuses %s', async (_, argv, message) => {
    expect(await hub('addon', 'enable', ...argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('flotilla addon disable', () => {
  const disable = (...argv: string[]) => hub('addon', 'disable', '--names', 'hello', ...argv);

  it('[cli A49] deletes the add-on from clusters, or from all, and refuses an unknown cluster', async () => {
    await create();
    await hub('addon', 'enable', '--names', 'hello', '--clusters', 'c1,c2');
    expect(await disable('-c', 'nope')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no ManagedCluster nope'),
    });
    expect((await disable('-c', 'c1', '--dry-run')).out).toContain('(dry run)');
    expect((await disable('-c', 'c1', '--wait')).out).toBe('Undeploying hello add-on in managed cluster: c1.\n');
    expect(await client().resource(managedClusterAddOns).find('c1/hello')).toBeUndefined();
    expect(await disable('-c', 'c1')).toMatchObject({ code: 0, err: 'hello add-on not found in cluster: c1.\n' });
    expect((await disable()).out).toBe('Undeploying hello add-on in managed cluster: c2.\n');
    expect(await disable()).toMatchObject({ code: 0, out: '', err: 'hello add-on not found in any cluster.\n' });
  });

  it('says that an add-on comes back which a placement installs', async () => {
    await create('--placement-ref', 'default/all');
    await hub('addon', 'enable', '--names', 'hello', '-c', 'c1');
    const decisions = client().resource(placementDecisions);
    const labels = { 'cluster.open-cluster-management.io/placement': 'all' };
    await decisions.create({ metadata: { namespace: 'default', name: 'all-decision-1', labels } });
    const status = { decisions: [{ clusterName: 'c1', reason: '' }] };
    await decisions.status.patch('default/all-decision-1', { type: 'merge', body: { status } });
    expect((await disable('-c', 'c1')).err).toContain('by placement default/all, so it comes back');
    await decisions.delete('default/all-decision-1');
  });
});

describe('flotilla get addons', () => {
  it('counts the clusters of each add-on', async () => {
    expect(await hub('get', 'addons')).toMatchObject({ code: 0, out: '', err: 'No resources found\n' });
    await create();
    await hub('addon', 'enable', '--names', 'hello', '--clusters', 'c1,c2');
    await report('c1', [{ type: 'Available', status: 'True' }]);
    await report('c2', [{ type: 'ManifestApplied', status: 'False', message: 'work addon-hello-deploy-0 failed' }]);
    expect((await hub('get', 'addon')).out).toBe(
      ['NAME    INSTALLED CLUSTERS   AVAILABLE   INSTALL', 'hello   2                    1           Manual', ''].join(
        '\n',
      ),
    );
    expect((await hub('get', 'addons', '-c', 'c2', '-o', 'wide')).out).toMatch(
      /hello +1 +0 +Manual +\d+s +c2: work addon-hello-deploy-0 failed\n/,
    );
    expect((await hub('get', 'addons', '-o', 'name')).out).toBe(
      'clustermanagementaddon.addon.open-cluster-management.io/hello\n',
    );
    expect((await hub('get', 'addons', 'hello', '-c', 'c1', '-o', 'tree')).out).toBe(
      [
        '<ManagedClusterAddOn>',
        '└── hello',
        '    └── c1',
        '        ├── Status',
        '        │   ├── Available -> true',
        '        │   ├── ManifestApplied -> unknown',
        '        │   └── RegistrationApplied -> unknown',
        '        └── ManifestWork',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await hub('get', 'addons', '-o', 'json')).out).items).toMatchObject([
      { kind: 'ClusterManagementAddOn' },
      { kind: 'ManagedClusterAddOn', metadata: { namespace: 'c1' } },
      { kind: 'ManagedClusterAddOn', metadata: { namespace: 'c2' } },
    ]);
  });

  it('fails for one that is not there', async () => {
    expect(await hub('get', 'addons', 'nope')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no add-on nope on this hub'),
    });
  });
});

/** Reports conditions as the controllers of an add-on do. */
async function report(
  cluster: string,
  conditions: readonly { type: string; status: 'True' | 'False'; message?: string }[],
): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  const status = {
    conditions: conditions.map((condition) => ({ reason: 'Spec', message: '', lastTransitionTime, ...condition })),
  };
  await client().resource(managedClusterAddOns).status.patch(`${cluster}/hello`, { type: 'merge', body: { status } });
}
