import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  config,
  defineAddon,
  fromHelm,
  helmProgram,
  helmValues,
  type Manifest,
  type Values,
} from '@flotilla/addon-sdk';
import { contextFor } from '@flotilla/addon-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { helmProgram as compiledHelm, helmVersions } from './helm.ts';

const run = promisify(execFile);
const namespace = 'open-cluster-management-agent-addon';
const chartOf = (name: string) => new URL(`addon-charts/${name}/`, import.meta.url);
const definition = defineAddon({ name: 'probe', configs: { deploy: config.deployment() }, render: () => [] });

const context = await contextFor(definition, {
  cluster: { metadata: { name: 'c1' }, status: { version: { kubernetes: 'v1.36.0' } } },
  configs: {
    deploy: {
      metadata: { name: 'd', namespace: 'ns' },
      spec: {
        nodePlacement: { nodeSelector: { zone: 'edge' }, tolerations: [{ key: 'infra', operator: 'Exists' }] },
        proxyConfig: { httpsProxy: 'https://proxy:8443', noProxy: '.svc' },
        registries: [{ source: 'quay.io/example', mirror: 'mirror.local/example' }],
        resourceRequirements: [{ containerID: 'daemonsets:*:agent', resources: { limits: { cpu: '1' } } }],
      },
    },
  },
});

/** What every chart is given, by hand: what `fromHelm` adds. */
const builtIn = {
  hubKubeConfigSecret: 'probe-hub-kubeconfig',
  managedKubeConfigSecret: 'probe-managed-kubeconfig',
  clusterName: 'c1',
  addonInstallNamespace: namespace,
  installMode: 'Default',
};
const proxyConfig = { HTTP_PROXY: '', HTTPS_PROXY: 'https://proxy:8443', NO_PROXY: '.svc', PROXY_CA_BUNDLE: '' };

interface ChartCase {
  readonly chart: string;
  /** What an author passes. */
  readonly given: readonly Values[];
  /** What Helm must get beside the built-in values. */
  readonly values: Values;
  /** Kinds of the objects, in install order. */
  readonly kinds: readonly string[];
}

const ofDeploymentConfig: ChartCase = {
  chart: 'conditions',
  given: [helmValues.nodePlacement(context), helmValues.proxy(definition, context), { debug: true, replicas: 3 }],
  values: {
    tolerations: [{ key: 'infra', operator: 'Exists' }],
    global: { nodeSelector: { zone: 'edge' }, proxyConfig },
    debug: true,
    replicas: 3,
  },
  kinds: ['Namespace', 'ConfigMap', 'Deployment'],
};

const charts: Record<string, ChartCase> = {
  'conditions with what a deployment config says': ofDeploymentConfig,
  'conditions that do not hold': {
    chart: 'conditions',
    given: [],
    values: {},
    kinds: ['Namespace', 'ConfigMap', 'Deployment'],
  },
  'ranges over maps and lists, with a subchart': {
    chart: 'ranges',
    given: [
      { variables: { LOG_LEVEL: 'a "quoted" text', NUMBER: 7 } },
      { ports: [80, 443], sidecar: { enabled: true } },
    ],
    values: {
      variables: { LOG_LEVEL: 'a "quoted" text', NUMBER: 7 },
      ports: [80, 443],
      sidecar: { enabled: true },
    },
    kinds: ['ServiceAccount', 'ConfigMap', 'ConfigMap', 'CustomResourceDefinition', 'Service'],
  },
  'ranges over nothing': { chart: 'ranges', given: [], values: {}, kinds: ['CustomResourceDefinition', 'Service'] },
  'includes, tpl and images from a mirror': {
    chart: 'includes',
    given: [
      helmValues.resourceRequirements(definition, context),
      helmValues.image(context, 'global.imageOverrides.agent', 'quay.io/example/agent:v1'),
    ],
    values: {
      global: {
        imageOverrides: { agent: 'mirror.local/example/agent:v1' },
        resourceRequirements: [
          {
            containerIDRegex: '^daemonsets:.+:agent$',
            resources: { limits: { cpu: '1' }, requests: {} },
            resourcesRaw: { limits: { cpu: '1' } },
          },
        ],
      },
    },
    kinds: ['DaemonSet'],
  },
};

const sorted = (objects: readonly Manifest[]) =>
  [...objects].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-from-helm-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(helmVersions)('fromHelm by Helm %s', { timeout: 60_000 }, (version) => {
  let path: string;
  beforeAll(async () => {
    path = await compiledHelm(version);
  });
  const render = (chart: string, values: readonly Values[]) =>
    fromHelm(chartOf(chart), context, { values, engine: helmProgram({ path }) });

  it.each(Object.entries(charts))(
    'gives what `helm template` gives: %s',
    async (_, { chart, given, values, kinds }) => {
      const file = join(directory, 'values.yaml');
      await writeFile(file, stringify({ ...values, ...builtIn }));
      const flags = ['--namespace', namespace, '--include-crds', '--no-hooks', '--kube-version', 'v1.36.0'];
      const { stdout } = await run(path, ['template', 'probe', chartOf(chart).pathname, ...flags, '--values', file]);
      const expected = parseAllDocuments(stdout).flatMap((document) => (document.contents ? [document.toJS()] : []));
      const objects = await render(chart, given);
      expect(sorted(objects)).toEqual(sorted(expected));
      expect(objects.map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  it('puts what the deployment config says into pods', async () => {
    const { chart, given } = ofDeploymentConfig;
    const deployment = (await render(chart, given)).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      metadata: { name: 'probe-agent', namespace },
      spec: {
        replicas: 3,
        template: {
          spec: {
            nodeSelector: { zone: 'edge' },
            tolerations: [{ key: 'infra', operator: 'Exists' }],
            containers: [
              { args: ['--cluster=c1', '--v=8'], env: [{ value: 'https://proxy:8443' }, { value: '.svc' }] },
            ],
            volumes: [{ secret: { secretName: 'probe-hub-kubeconfig' } }],
          },
        },
      },
    });
  });

  it('repeats what Helm says about a chart that cannot be rendered', async () => {
    await expect(render('includes', [])).rejects.toThrow(/helm template failed: .*imageOverrides/s);
  });
});
