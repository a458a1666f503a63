import type { ClusterManager, Klusterlet } from '@flotilla/api-types';
import type { Deployment, NetworkPolicy, PodDisruptionBudget, Secret } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import {
  type ClusterManagerChartValues,
  clusterManagerDefinitions,
  clusterManagerObjects,
  clusterManagerValuesSchema,
  type GivenValues,
  type KlusterletChartValues,
  klusterletDefinitions,
  klusterletObjects,
  klusterletOperatorObjects,
  klusterletValuesSchema,
  valuesErrors,
} from './index.ts';

const hubRelease = { version: '1.2.3', drivers: [] };
const hub = (values: GivenValues<ClusterManagerChartValues> = {}) => clusterManagerObjects(values, hubRelease);
const agent = ({ klusterlet, ...values }: GivenValues<KlusterletChartValues> = {}) =>
  klusterletObjects({ ...values, klusterlet: { clusterName: 'cluster1', ...klusterlet } }, { version: '1.2.3' });
const names = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
const ofKind = <T extends KubeObject>(objects: readonly KubeObject[], kind: string): T => {
  const found = objects.find((object) => object.kind === kind);
  if (!found) throw new Error(`there is no ${kind}`);
  return found as T;
};
const decoded = ({ data = {} }: Secret, key: string) => Buffer.from(data[key] ?? '', 'base64').toString();

describe('the chart cluster-manager', () => {
  it('[cli B01] has one definition, and five objects without values', async () => {
    expect(names(await clusterManagerDefinitions())).toEqual([
      'CustomResourceDefinition clustermanagers.operator.open-cluster-management.io',
    ]);
    expect(names(hub())).toEqual([
      'ServiceAccount cluster-manager',
      'ClusterRole cluster-manager',
      'ClusterRoleBinding cluster-manager',
      'Deployment cluster-manager',
      'ClusterManager cluster-manager',
    ]);
  });

  it('[cli B01] has eight with a bootstrap token or account, and six with credentials for images', () => {
    expect(hub({ createBootstrapToken: true })).toHaveLength(8);
    expect(hub({ createBootstrapSA: true })).toHaveLength(8);
    expect(hub({ images: { imageCredentials: { createImageCredentials: true } } })).toHaveLength(6);
  });

  it('lets tokens be approved under the names that their holders have', () => {
    const { spec } = ofKind<ClusterManager>(
      hub({ createBootstrapToken: true, createBootstrapSA: true }),
      'ClusterManager',
    );
    expect(spec?.registrationConfiguration?.autoApproveUsers).toEqual([
      'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
      'system:bootstrap:bootstrap-token-ocmhub',
      'system:bootstrap:ocmhub',
    ]);
  });

  it('runs the operator and every part of a hub from images of one registry and tag, or from named ones', () => {
    const images = { registry: 'mirror.local/x', tag: 'v9', overrides: { workImage: 'other/work:1' } };
    const objects = hub({ images });
    const container = ofKind<Deployment>(objects, 'Deployment').spec?.template.spec?.containers[0];
    expect(container).toMatchObject({
      image: 'mirror.local/x/operator:v9',
      args: ['hub', '--listen=0.0.0.0:8443', '--hub-image=mirror.local/x/hub:v9'],
    });
    expect(ofKind<ClusterManager>(objects, 'ClusterManager').spec).toMatchObject({
      registrationImagePullSpec: 'mirror.local/x/hub:v9',
      workImagePullSpec: 'other/work:1',
    });
    expect(ofKind<ClusterManager>(hub(), 'ClusterManager').spec?.workImagePullSpec).toBe('flotilla/hub:v1.2.3');
  });

  it.each([
    [{}, '{}'],
    [{ dockerConfigJson: '{"auths":{}}' }, '{"auths":{}}'],
    [{ userName: 'u', password: 'p' }, '{"auths":{"flotilla":{"auth":"dTpw","password":"p","username":"u"}}}'],
  ])('makes the pull secret of %o', (credentials, expected) => {
    const objects = hub({ images: { imageCredentials: { createImageCredentials: true, ...credentials } } });
    expect(decoded(ofKind<Secret>(objects, 'Secret'), '.dockerconfigjson')).toBe(expected);
  });

  it('grants nothing by wildcard', () => {
    for (const { rules = [] } of [...hub(), ...agent()] as { rules?: { verbs: string[]; resources?: string[] }[] }[]) {
      for (const { verbs, resources = [] } of rules) expect([...verbs, ...resources]).not.toContain('*');
    }
  });

  it('makes monitors, alerts and a dashboard if that is asked for', () => {
    const enabled = { enabled: true };
    const objects = hub({
      monitoring: { serviceMonitor: enabled, prometheusRule: enabled, grafanaDashboard: enabled },
    });
    expect(names(objects).slice(5)).toEqual([
      'ServiceAccount cluster-manager-metrics-reader',
      'ClusterRole cluster-manager-metrics-reader',
      'ClusterRoleBinding cluster-manager-metrics-reader',
      'Secret cluster-manager-metrics-reader',
      'Service cluster-manager-metrics',
      'ServiceMonitor cluster-manager',
      'PodMonitor cluster-manager-hub',
      'PrometheusRule cluster-manager',
      'ConfigMap cluster-manager-dashboard',
    ]);
  });
});

describe('monitors', () => {
  const monitoring = { serviceMonitor: { enabled: true } };
  it.each([
    ['hubs', 'PodMonitor', 'podMetricsEndpoints', hub({ monitoring })],
    ['the operator of hubs', 'ServiceMonitor', 'endpoints', hub({ monitoring })],
    ['the operator of agents', 'ServiceMonitor', 'endpoints', agent({ monitoring })],
  ])('of %s name the token of an account that may read metrics: no file, which PodMonitors cannot name', (...given) => {
    const [, kind, field, objects] = given;
    const { spec } = ofKind<KubeObject & { spec: Record<string, Record<string, unknown>[]> }>(objects, kind);
    const token = ofKind<Secret>(objects, 'Secret');
    const name = token.metadata?.name;
    expect(token).toMatchObject({
      metadata: { namespace: 'open-cluster-management', annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    });
    expect(spec[field]?.length).toBeGreaterThan(0);
    for (const endpoint of spec[field] ?? []) {
      expect(endpoint.authorization).toEqual({ credentials: { name, key: 'token' } });
      expect(endpoint).not.toHaveProperty('bearerTokenFile');
    }
    // The controller of tokens deletes a Secret of an account that it does not find.
    const made = names(objects);
    expect(made.indexOf(`ServiceAccount ${name}`)).toBeLessThan(made.indexOf(`Secret ${name}`));
    const binding = objects.find((one) => one.kind === 'ClusterRoleBinding' && one.metadata?.name === name);
    expect(binding).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'open-cluster-management' }],
    });
  });
});

describe('operators', () => {
  it('get further arguments, replicas of their programs, and a priority', () => {
    const values = { deploymentReplicas: 2, extraArgs: ['--skip-remove-crds'], priorityClassName: 'fleet' };
    const { template } = ofKind<Deployment>(hub(values), 'Deployment').spec ?? {};
    expect(template?.spec?.containers[0]?.args?.slice(-2)).toEqual(['--deployment-replicas=2', '--skip-remove-crds']);
    expect(template?.spec?.priorityClassName).toBe('fleet');
  });

  it.each([
    ['hubs', hub, 'cluster-manager'],
    ['agents', agent, 'klusterlet'],
  ] as const)(
    'of %s are protected from drains and from connections to other ports, where that is enabled',
    (_, objectsOf, name) => {
      const objects = objectsOf({ podDisruptionBudget: { enabled: true }, networkPolicy: { enabled: true } });
      const podSelector = { matchLabels: { app: name } };
      expect(ofKind<PodDisruptionBudget>(objects, 'PodDisruptionBudget').spec).toEqual({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: podSelector,
      });
      expect(ofKind<NetworkPolicy>(objects, 'NetworkPolicy').spec).toEqual({
        podSelector,
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ protocol: 'TCP', port: 8443 }] }],
      });
    },
  );
});

describe('the chart klusterlet', () => {
  it('runs agents from images of its registry and tag', () => {
    const images = { registry: 'mirror.local/x', tag: 'v9' };
    expect(ofKind<Deployment>(agent({ images }), 'Deployment').spec?.template.spec?.containers[0]?.args).toEqual([
      'klusterlet',
      '--listen=0.0.0.0:8443',
      '--agent-image=mirror.local/x/agent:v9',
      '--singleton-image=mirror.local/x/singleton:v9',
    ]);
  });

  it('names the image with the command line of AWS only where it is not the one of the operator', () => {
    const argsOf = (given: GivenValues<KlusterletChartValues>) =>
      ofKind<Deployment>(agent(given), 'Deployment').spec?.template.spec?.containers[0]?.args;
    expect(argsOf({ images: { overrides: { awsCliImage: 'mirror.local/aws-cli:2' } } })).toContain(
      '--aws-cli-image=mirror.local/aws-cli:2',
    );
    expect(argsOf({})?.join()).not.toContain('aws-cli');
  });

  const two = { multiHubBootstrapHubKubeConfigs: ['a', 'b'].map((name) => ({ name, kubeConfig: name })) };
  const credentials = { images: { imageCredentials: { createImageCredentials: true } } };
  it.each<[string, number, GivenValues<KlusterletChartValues>]>([
    ['without values', 5, {}],
    ['with a bootstrap kubeconfig', 7, { bootstrapHubKubeConfig: 'k' }],
    ['with two hubs', 8, two],
    ['hosted, without a bootstrap kubeconfig', 1, { klusterlet: { mode: 'Hosted' } }],
    ['hosted, with one', 3, { klusterlet: { mode: 'Hosted' }, bootstrapHubKubeConfig: 'k' }],
    ['without the operator', 1, { noOperator: true }],
    ['without the operator, with credentials for images', 2, { noOperator: true, ...credentials }],
    ['with a priority class', 6, { priorityClassName: 'agents' }],
  ])('[cli B02] has as many objects as OCM’s %s: %i', async (_, count, values) => {
    expect(await klusterletDefinitions()).toHaveLength(1);
    expect(names(agent(values))).toHaveLength(count);
  });

  it('[cli B03] makes no second namespace if the agent is in that of the operator', () => {
    const klusterlet = { namespace: 'open-cluster-management' };
    expect(names(agent({ bootstrapHubKubeConfig: 'k', klusterlet }))).not.toContain(
      'Namespace open-cluster-management',
    );
  });

  it('[cli B04] puts how to reach a gRPC server into the bootstrap secret', () => {
    const secret = ofKind<Secret>(agent({ bootstrapHubKubeConfig: 'k', grpcConfig: 'url: g' }), 'Secret');
    expect(secret.metadata).toEqual({ name: 'bootstrap-hub-kubeconfig', namespace: 'open-cluster-management-agent' });
    expect([decoded(secret, 'kubeconfig'), decoded(secret, 'config.yaml')]).toEqual(['k', 'url: g']);
  });

  it('names what is hosted after the cluster', () => {
    const klusterlet = { mode: 'Hosted', clusterName: 'c1' } as const;
    const objects = agent({ klusterlet, bootstrapHubKubeConfig: 'k', externalManagedKubeConfig: 'm' });
    expect(names(objects)).toEqual([
      'Namespace klusterlet-c1',
      'Secret bootstrap-hub-kubeconfig',
      'Secret external-managed-kubeconfig',
      'Klusterlet klusterlet-c1',
    ]);
    expect(ofKind<Klusterlet>(objects, 'Klusterlet').spec?.namespace).toBe('open-cluster-management-c1');
    expect(names(klusterletOperatorObjects({ klusterlet }, { version: '1' }))).toContain('Deployment klusterlet');
  });
});

describe('values of a user', () => {
  it.each<[string, 'hub' | 'agent', unknown, string[]]>([
    ['as the chart has them', 'hub', { replicaCount: 2, clusterManager: { mode: 'Hosted' } }, []],
    ['of a text', 'hub', 'x', ['the values must be a map']],
    ['with a typo', 'hub', { replicas: 2 }, ['replicas is not a value of this chart']],
    [
      'with a nested typo',
      'agent',
      { klusterlet: { clustername: 'x' } },
      ['klusterlet.clustername is not a value of this chart'],
    ],
    ['of another type', 'hub', { replicaCount: 'two' }, [expect.stringMatching(/^replicaCount: /)]],
    ['with an unknown mode', 'agent', { klusterlet: { mode: 'Fast' } }, [expect.stringMatching(/^klusterlet\.mode: /)]],
  ])('%s', async (_, chart, values, expected) => {
    const schema = await (chart === 'hub' ? clusterManagerValuesSchema() : klusterletValuesSchema());
    expect(valuesErrors(values, schema)).toEqual(expected);
  });
});
