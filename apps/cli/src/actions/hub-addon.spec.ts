import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addOnDeploymentConfigs, addOnTemplates, clusterManagementAddOns, managedClusters } from '@flotilla/api-types';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledAddOns } from '../addon/bundled-addons.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub'>;
let directory: string;
const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
const client = () => world.planes.hub.client;

beforeAll(async () => {
  world = await startWorld('hub');
  await hub('init');
  await client()
    .resource(managedClusters)
    .create({ metadata: { name: 'c1' }, spec: {} });
  await client()
    .resource(namespaces)
    .create({ metadata: { name: 'c1' } });
  directory = await mkdtemp(join(tmpdir(), 'flotilla-hub-addon-'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe('the add-ons that the command line brings', () => {
  it('are the examples of the repository', async () => {
    for (const [name, text] of Object.entries(bundledAddOns)) {
      const file = new URL(`../../../../examples/addons/${name}/${name}.yaml`, import.meta.url);
      expect(text, name).toBe(await readFile(fileURLToPath(file), 'utf8'));
    }
  });
});

describe('flotilla install hub-addon', () => {
  it.each([
    ['[cli A51] a name that it does not know', ['--names', 'nope'], 2, 'invalid add-on name nope'],
    ['an add-on of another project, with the way to install it', ['--names', 'argocd'], 2, 'by --bundle'],
    ['no names', [], 2, 'names is missing'],
    ['a file that is not there', ['--bundle', '/nowhere'], 2, '/nowhere cannot be read'],
    ['[cli A51] a namespace that is missing', ['--names', 'helloworld', '-n', 'gone'], 3, 'there is no namespace gone'],
  ])('refuses %s', async (_, argv, code, message) => {
    expect(await hub('install', 'hub-addon', ...argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  it('refuses files that offer nothing', async () => {
    const file = join(directory, 'plain.yaml');
    await writeFile(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
    expect(await hub('install', 'hub-addon', '--bundle', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no ClusterManagementAddOn'),
    });
  });

  it('offers an add-on that comes with it, which can be enabled, and takes it away again', async () => {
    const install = (...argv: string[]) => hub('install', 'hub-addon', '--names', ' helloworld', ...argv);
    expect((await install('--dry-run')).out).toContain('ClusterManagementAddOn helloworld is applied (dry run)\n');
    expect(await client().resource(clusterManagementAddOns).find('helloworld')).toBeUndefined();
    expect((await install()).out).toBe(
      [
        'AddOnTemplate helloworld-0.0.1 is applied',
        'AddOnDeploymentConfig open-cluster-management/helloworld is applied',
        'ClusterManagementAddOn helloworld is applied',
        '',
      ].join('\n'),
    );
    expect(await hub('addon', 'enable', '--names', 'helloworld', '-c', 'c1')).toMatchObject({ code: 0 });
    const uninstall = (...argv: string[]) => hub('uninstall', 'hub-addon', '--names', 'helloworld', ...argv);
    expect(await uninstall()).toMatchObject({
      code: 3,
      err: expect.stringContaining('flotilla addon disable --names helloworld --clusters c1 --wait'),
    });
    await hub('addon', 'disable', '--names', 'helloworld', '-c', 'c1', '--wait');
    expect((await uninstall('--dry-run')).out).toContain('Removed ClusterManagementAddOn helloworld (dry run)\n');
    expect(await uninstall()).toMatchObject({ code: 0 });
    expect(await client().resource(clusterManagementAddOns).find('helloworld')).toBeUndefined();
    expect(await client().resource(addOnTemplates).find('helloworld-0.0.1')).toBeUndefined();
    expect(await client().resource(addOnDeploymentConfigs).find('open-cluster-management/helloworld')).toBeUndefined();
    expect(await uninstall()).toMatchObject({ code: 0, err: expect.stringContaining('There is nothing of it') });
  });

  it('applies the files of others in a namespace of their own, the offer last, and leaves what it did not apply', async () => {
    const file = join(directory, 'mine.yaml');
    const cma = 'apiVersion: addon.open-cluster-management.io/v1beta1\nkind: ClusterManagementAddOn\n';
    await writeFile(
      file,
      `${cma}metadata: { name: mine }\nspec: {}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: b, namespace: default }\n`,
    );
    await client()
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'b' }, data: { by: 'another' } });
    const flags = ['--bundle', file, '-n', 'addons'];
    expect((await hub('install', 'hub-addon', ...flags, '--create-namespace')).out).toBe(
      'Namespace addons is applied\nConfigMap addons/a is applied\nConfigMap default/b is applied\nClusterManagementAddOn mine is applied\n',
    );
    await hub('uninstall', 'hub-addon', ...flags);
    expect(await client().resource(configMaps).find('addons/a')).toBeUndefined();
    expect(await client().resource(configMaps).find('default/b')).toMatchObject({ data: { by: 'another' } });
    expect(await client().resource(namespaces).find('addons')).toBeDefined();
  });
});
