import { chmod } from 'node:fs/promises';
import type { AddOnDeploymentConfigSpec } from '@flotilla/api-types';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { config } from '../definition/config.ts';
import type { RenderContext } from '../definition/context.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { contextFor, renderFor } from '../testing/render-for.ts';
import { fromHelm } from './from-helm.ts';
import { type HelmRelease, helmProgram } from './helm-engine.ts';
import { helmValues } from './helm-values.ts';
import type { Values } from './merge-values.ts';
import { trimDescriptions } from './trim-descriptions.ts';

/** An engine that keeps what it was asked for. */
const recording = (text = '') => {
  const releases: HelmRelease[] = [];
  const template = async (release: HelmRelease) => {
    releases.push(release);
    return text;
  };
  return { template, releases };
};
const definition = defineAddon({ name: 'probe', configs: { deploy: config.deployment() }, render: () => [] });
const context = (
  spec: AddOnDeploymentConfigSpec = {},
  input: Partial<Parameters<typeof contextFor>[1]> = {},
): Promise<RenderContext> =>
  contextFor(definition, {
    cluster: 'c1',
    configs: { deploy: { metadata: { name: 'd', namespace: 'ns' }, spec } },
    ...input,
  });
const valuesOf = async (...values: Values[]) => {
  const engine = recording();
  await fromHelm('chart', await context(), { values, engine });
  return engine.releases[0]?.values;
};

describe('a Helm chart', () => {
  it('[addons 135, 137] gets defaults, then values, then what is known of the cluster', async () => {
    const values = await valuesOf(
      { a: { x: 1, y: 1 }, list: [1], hubKubeConfigSecret: 'mine' },
      { a: { y: 2 }, list: [2], clusterName: 'forged' },
    );
    expect(values).toEqual({
      a: { x: 1, y: 2 },
      list: [2],
      hubKubeConfigSecret: 'mine',
      managedKubeConfigSecret: 'probe-managed-kubeconfig',
      clusterName: 'c1',
      addonInstallNamespace: 'open-cluster-management-agent-addon',
      installMode: 'Default',
    });
    expect((await valuesOf({}))?.hubKubeConfigSecret).toBe('probe-hub-kubeconfig');
  });

  it('[addons 136] gives all objects in install order, and no empty ones', async () => {
    const text = [
      'kind: Zebra\nmetadata: {name: z}',
      'kind: Deployment',
      '# a comment',
      'kind: ConfigMap\nmetadata: {name: first}',
      'kind: Apple',
      'kind: CustomResourceDefinition',
      'kind: ConfigMap\nmetadata: {name: second}',
      'kind: Namespace',
    ].join('\n---\n');
    const objects = await fromHelm('chart', await context(), { engine: recording(text) });
    expect(objects.map(({ kind, metadata }) => [kind, metadata?.name].filter(Boolean).join(' '))).toEqual([
      'Namespace',
      'ConfigMap first',
      'ConfigMap second',
      'CustomResourceDefinition',
      'Deployment',
      'Apple',
      'Zebra z',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a function', () => 1, 'a.b is a function'],
    ['not a number', Number.NaN, 'a.b is a number'],
  ])('[addons 138] refuses %s', async (_, value, message) => {
    await expect(valuesOf({ a: { b: value } })).rejects.toThrow(`failed to normalize Helm values: ${message}`);
  });

  it('[addons 138] refuses values that contain themselves', async () => {
    const values: Record<string, unknown> = {};
    values.loop = {
      list: [1],
      toJSON: () => {
        throw new Error('circular');
      },
    };
    await expect(valuesOf(values)).rejects.toThrow('failed to normalize Helm values');
  });

  it('is rendered by a program, which is told by its arguments and its input', async () => {
    await using directory = await temporaryDirectory();
    const script = `#!${process.execPath}
let input = '';
process.stdin.on('data', (chunk) => (input += chunk)).on('end', () => console.log(JSON.stringify({ kind: 'Seen', args: process.argv.slice(2), input: JSON.parse(input) })));`;
    const path = await directory.write('helm.cjs', script);
    await chmod(path, 0o755);
    const given = await contextFor(definition, {
      cluster: { metadata: { name: 'c1' }, status: { version: { kubernetes: 'v1.36.0' } } },
    });
    const [seen] = await fromHelm('chart', given, { values: { a: 1 }, engine: helmProgram({ path }) });
    expect(seen).toMatchObject({
      args: [
        ...['template', 'probe', 'chart', '--namespace', 'open-cluster-management-agent-addon'],
        ...['--include-crds', '--no-hooks', '--values', '-', '--kube-version', 'v1.36.0'],
      ],
      input: { a: 1, clusterName: 'c1' },
    });
  });

  it('names a program that is not there, and repeats what one that fails says', async () => {
    const engine = helmProgram({ path: '/absent/helm' });
    await expect(fromHelm('chart', await context(), { engine })).rejects.toThrow('/absent/helm cannot be started');
    await using directory = await temporaryDirectory();
    const path = await directory.write(
      'helm.cjs',
      `#!${process.execPath}\nconsole.error('no chart'); process.exit(1);`,
    );
    await chmod(path, 0o755);
    await expect(fromHelm('chart', await context(), { engine: helmProgram({ path }) })).rejects.toThrow(
      'helm template failed: no chart',
    );
  });
});

describe('values of charts', () => {
  it('[addons 139] put an image at a key with dots', async () => {
    const given = await context({ registries: [{ source: 'quay.io/a', mirror: 'mirror/b/' }] });
    expect(helmValues.image(given, 'a.b.c', 'quay.io/a/agent:1')).toEqual({ a: { b: { c: 'mirror/b/agent:1' } } });
    for (const [key, image] of [
      ['', 'i'],
      ['a', ''],
      ['a..b', 'i'],
    ] as const) {
      expect(() => helmValues.image(given, key, image)).toThrow('cannot be put at the key');
    }
  });

  it('[addons 139] refuse an annotation that is not JSON', async () => {
    const annotations = { 'addon.open-cluster-management.io/values': '{' };
    const given = await context({}, { addon: { metadata: { annotations } } });
    expect(() => given.values()).toThrow(
      'annotation addon.open-cluster-management.io/values of ManagedClusterAddOn c1/probe is "{"',
    );
    const fine = { 'addon.open-cluster-management.io/values': '{"a":{"b":1}}' };
    expect((await context({}, { addon: { metadata: { annotations: fine } } })).values()).toEqual({ a: { b: 1 } });
  });

  it('come from a deployment config', async () => {
    const given = await context({
      nodePlacement: { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] },
      proxyConfig: { httpProxy: 'http://p', noProxy: 'x', caBundle: 'Y2E=' },
      resourceRequirements: [{ containerID: 'deployments:*:agent', resources: { limits: { cpu: 1 } } }],
    });
    expect(helmValues.nodePlacement(given)).toEqual({
      tolerations: [{ operator: 'Exists' }],
      global: { nodeSelector: { a: 'b' } },
    });
    expect(helmValues.proxy(definition, given)).toEqual({
      global: { proxyConfig: { HTTP_PROXY: 'http://p', HTTPS_PROXY: '', NO_PROXY: 'x', PROXY_CA_BUNDLE: 'Y2E=' } },
    });
    expect(helmValues.resourceRequirements(definition, given)).toEqual({
      global: {
        resourceRequirements: [
          {
            containerIDRegex: '^deployments:.+:agent$',
            resources: { limits: { cpu: '1' }, requests: {} },
            resourcesRaw: { limits: { cpu: 1 } },
          },
        ],
      },
    });
    const empty = await context();
    expect([helmValues.proxy(definition, empty), helmValues.resourceRequirements(definition, empty)]).toEqual([{}, {}]);
  });

  it('descriptions of definitions can be left out', async () => {
    const openAPIV3Schema = {
      description: 'x',
      properties: { description: { type: 'string', description: 'y', externalDocs: { description: 'z', url: 'u' } } },
    };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a' },
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    };
    const [trimmed] = await renderFor(defineAddon({ name: 'crd', render: () => [trimDescriptions(crd)] }), {
      cluster: 'c1',
    });
    expect(trimmed).toMatchObject({
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: { properties: { description: { type: 'string', externalDocs: { url: 'u' } } } },
            },
          },
        ],
      },
    });
    expect(JSON.stringify(trimmed)).not.toMatch(/"[xyz]"/);
  });
});
