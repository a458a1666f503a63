import { clusterManagementAddOns, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { ownerReferenceTo } from '@flotilla/kube';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { defineKind, rootOf, toCustomResourceDefinition } from '@flotilla/schema/define';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { config } from '../definition/config.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { kubeClient } from '../definition/registration.ts';
import { withServedVersions } from '../engine/served-versions.ts';
import { startProgram } from '../fixtures/data-host.ts';
import { configMap } from '../fixtures/objects.ts';
import { createAddonCli } from './addon-cli.ts';

const addon = defineAddon({
  name: 'probe',
  configs: { deploy: config.deployment() },
  registration: [kubeClient({ permissions: (p) => p.bindClusterRole('view') })],
  render: ({ clusterName, variables }) => [configMap('a', { clusterName, ...variables() })],
});
const start = (...argv: string[]) =>
  startProgram(createAddonCli({ addon, version: '1.0.0', agent: { run: (_, signal) => untilAborted(signal) } }), argv);
const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** What a command prints. */
const printed = async (...argv: string[]) => {
  const { exitCode, output } = start(...argv);
  expect([await exitCode, output.complained]).toEqual([0, '']);
  return parseAllDocuments(output.printed).map((document) => document.toJS());
};

describe('the program of an add-on', () => {
  it('lists its commands', async () => {
    const { exitCode, output } = start('--help');
    expect(await exitCode).toBe(0);
    for (const command of ['controller', 'agent', 'render', 'rbac', 'install'])
      expect(output.printed).toContain(command);
  });

  it('prints what a cluster gets', async () => {
    await using directory = await temporaryDirectory();
    const configFile = await directory.write(
      'config.yaml',
      [
        'apiVersion: addon.open-cluster-management.io/v1alpha1',
        'kind: AddOnDeploymentConfig',
        'metadata: {name: c, namespace: default}',
        'spec: {customizedVariables: [{name: LEVEL, value: "5"}]}',
      ].join('\n'),
    );
    expect(await printed('render', '--cluster=c1', `--config-file=${configFile}`)).toEqual([
      configMap('a', { clusterName: 'c1', LEVEL: '5' }),
    ]);
    const cluster = await directory.write('cluster.yaml', 'metadata: {name: c2}');
    expect(await printed('render', `--cluster=${cluster}`)).toEqual([configMap('a', { clusterName: 'c2' })]);
  });

  it('says which file or kind is wrong', async () => {
    await using directory = await temporaryDirectory();
    const other = await directory.write('other.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}');
    const wrong = start('render', '--cluster=c1', `--config-file=${other}`);
    expect(await wrong.exitCode).not.toBe(0);
    expect(wrong.output.complained).toContain('Secret is not a kind of configuration of add-on probe');
    const absent = start('render', '--cluster=./absent.yaml');
    expect(await absent.exitCode).not.toBe(0);
    expect(absent.output.complained).toContain('absent.yaml');
  });

  it('shows where the author’s own code failed, without a hint about servers', async () => {
    const failing = defineAddon({
      name: 'probe',
      render: () => {
        throw new TypeError('cannot read the replicas of undefined');
      },
    });
    const { exitCode, output } = startProgram(createAddonCli({ addon: failing, version: '1.0.0' }), [
      'render',
      '--cluster=c1',
    ]);
    expect(await exitCode).not.toBe(0);
    const [first, where] = output.complained.split('\n');
    expect(first).toBe('Error: cannot read the replicas of undefined');
    expect(where).toContain('addon-cli.spec.ts');
    expect(output.complained).not.toMatch(/API server|Internal/);
  });

  it('names itself and its command in help, and prints YAML without anchors', async () => {
    const { exitCode, output } = start('controller', '--help');
    expect(await exitCode).toBe(0);
    expect(output.printed).toContain('probe controller');
    // Variables have the name of the program alone, whichever of its commands reads them.
    expect(output.printed).toContain('PROBE_KUBECONFIG');
    const install = start('install', '--namespace=addons', '--image=probe:1');
    await install.exitCode;
    expect(install.output.printed).not.toMatch(/[&*]a\d/);
  });

  it('prints the rights of its controller, and all that a hub needs', async () => {
    const rbac = await printed('rbac', '--namespace=addons');
    expect(rbac.map(({ kind }) => kind)).toEqual([
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
    ]);
    expect(JSON.stringify(rbac)).not.toContain('*');
    const install = await printed('install', '--namespace=addons', '--image=quay.io/acme/probe:1');
    expect(install.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ClusterManagementAddOn',
      ...rbac.map(({ kind }) => kind),
      'Deployment',
    ]);
    expect(install[1]?.spec.defaultConfigs).toEqual([
      {
        group: 'addon.open-cluster-management.io',
        resource: 'addondeploymentconfigs',
        name: '__reserved_no_default__',
      },
    ]);
  });

  it('prints the kinds of configuration that come with the add-on first', async () => {
    const type = { group: 'example.com', version: 'v1', kind: 'Probing', plural: 'probings', namespaced: true };
    const definition = toCustomResourceDefinition(defineKind({ resource: type, schema: rootOf('How to probe.', {}) }));
    const own = defineAddon({ name: 'probe', configs: { own: config.of(type, { definition }) }, render: () => [] });
    const { exitCode, output } = startProgram(createAddonCli({ addon: own, version: '1.0.0' }), [
      ...['install', '--namespace=addons', '--image=probe:1'],
    ]);
    expect(await exitCode).toBe(0);
    const [first, second] = parseAllDocuments(output.printed).map((document) => document.toJS());
    expect(first).toEqual(JSON.parse(JSON.stringify(definition)));
    expect(second).toMatchObject({ kind: 'Namespace' });
  });

  it('runs its controller on a hub that was installed by what it prints', async () => {
    await using plane = await startControlPlane({ crds: customResourceDefinitions() });
    for (const object of await printed('install', '--namespace=addons', '--image=probe:1')) {
      const served = object.kind === 'ClusterManagementAddOn' ? undefined : await plane.client.dynamic(object);
      await served?.apply(object, { force: true, fieldManager: 'test' });
    }
    const hub = withServedVersions(plane.client);
    const offer = await hub.resource(clusterManagementAddOns).create({ metadata: { name: 'probe' }, spec: {} });
    await hub.resource(namespaces).create({ metadata: { name: 'c1' } });
    await hub.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: {} });
    const ownerReferences = [ownerReferenceTo(clusterManagementAddOns, offer)];
    await hub
      .resource(managedClusterAddOns)
      .create({ metadata: { name: 'probe', namespace: 'c1', ownerReferences }, spec: {} });
    await using directory = await temporaryDirectory();
    const kubeconfig = await directory.write('kubeconfig', plane.kubeconfig);
    const { exitCode, end } = start('controller', '--listen=0', '--namespace=addons', `--kubeconfig=${kubeconfig}`);
    await expect.poll(() => hub.resource(manifestWorks).find('c1/addon-probe-deploy-0')).toBeDefined();
    expect(await hub.resource(leases).find('addons/probe-addon-controller')).toBeDefined();
    end();
    expect(await exitCode).toBe(0);
  });

  it('runs its agent, with a lease', async () => {
    await using plane = await startControlPlane();
    await using directory = await temporaryDirectory();
    const kubeconfig = await directory.write('kubeconfig', plane.kubeconfig);
    const { exitCode, end } = start(
      ...['agent', '--listen=0', '--cluster-name=c1', '--addon-namespace=default'],
      ...[`--managed-kubeconfig=${kubeconfig}`, `--hub-kubeconfig=${kubeconfig}`],
    );
    await expect.poll(() => plane.client.resource(leases).find('default/probe')).toBeDefined();
    end();
    expect(await exitCode).toBe(0);
  });
});
