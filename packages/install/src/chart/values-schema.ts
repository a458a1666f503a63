import type { StructuralSchema } from '@flotilla/schema/validation';
import { clusterManagerDefaults, klusterletDefaults } from './defaults.ts';
import type { ClusterManagerChartValues, KlusterletChartValues } from './values.ts';

type Schemas<T> = Readonly<Record<keyof T, StructuralSchema>>;

const text = (description: string): StructuralSchema => ({ type: 'string', description });
const bool = (description: string): StructuralSchema => ({ type: 'boolean', description });
const count = (description: string): StructuralSchema => ({ type: 'integer', minimum: 0, description });
const oneOf = (description: string, values: readonly string[]): StructuralSchema => ({
  type: 'string',
  enum: [...values],
  description,
});
const map = (description: string): StructuralSchema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
});
/** What the API server checks, in pods and containers. */
const any = (description: string): StructuralSchema => ({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  description,
});
const listOf = (description: string, items: StructuralSchema): StructuralSchema => ({
  type: 'array',
  items,
  description,
});
const object = (description: string, properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: 'object',
  properties,
  description,
});

const operator = {
  replicaCount: count('Replicas of the operator.'),
  podSecurityContext: any('Security context of the pods of the operator.'),
  securityContext: any('Security context of the container of the operator.'),
  resources: any('Resources of the container of the operator.'),
  nodeSelector: map('Labels of the nodes that the operator may run on.'),
  tolerations: listOf('Taints that the pods of the operator tolerate.', any('A toleration.')),
  affinity: any('Affinity of the pods of the operator.'),
  enableSyncLabels: bool('Whether labels of the ClusterManager or Klusterlet go to what the operator makes for it.'),
  deploymentReplicas: count('Replicas of each program that the operator runs; 0: derived from the number of nodes.'),
  extraArgs: listOf('Further arguments of the operator, such as --skip-remove-crds.', { type: 'string' }),
  priorityClassName: text('PriorityClass of the operator. The chart klusterlet creates it, and its agents use it too.'),
  podDisruptionBudget: object('PodDisruptionBudget of the operator. The programs of a hub always have one.', {
    enabled: bool('Whether it is created: drains then evict one pod at a time.'),
  }),
  networkPolicy: object('NetworkPolicy of the operator. The programs of a hub always have one.', {
    enabled: bool('Whether it is created: only the port of health and metrics then admits connections.'),
  }),
};

/** The values about the operator itself, which both charts have. */
export const operatorValueKeys: readonly string[] = Object.keys(operator);

const images = (components: readonly string[]): StructuralSchema =>
  object('Which images are run, and how they are pulled.', {
    registry: text('Registry of all images, without a slash at its end.'),
    tag: text('Tag of all images; empty: the version of the chart.'),
    imagePullPolicy: oneOf('When the image of the operator is pulled.', ['Always', 'IfNotPresent', 'Never']),
    overrides: object(
      'Whole names of images, which win over registry and tag.',
      Object.fromEntries(components.map((name) => [name, text('Empty: no override.')])),
    ),
    imageCredentials: object('The pull secret open-cluster-management-image-pull-credentials.', {
      createImageCredentials: bool('Whether to create it.'),
      userName: text('User of the registry.'),
      password: text('Password of that user.'),
      dockerConfigJson: text('Content of a Docker configuration file, instead of user and password.'),
    }),
  });

const monitor = (description: string, more: Readonly<Record<string, StructuralSchema>> = {}): StructuralSchema =>
  object(description, {
    enabled: bool('Whether it is created.'),
    labels: map('Labels by which it is selected.'),
    ...more,
  });

const serviceMonitor = monitor(
  'ServiceMonitor of the operator, and PodMonitor of the programs of a hub in mode Default.',
  {
    interval: text('How often metrics are read.'),
  },
);

/** The fields of a spec that the chart passes on, as the definition of the kind has them. */
async function specFields(kind: 'ClusterManager' | 'Klusterlet', names: readonly string[]) {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  const definition = customResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
  const spec = definition?.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec?.properties ?? {};
  return Object.fromEntries(names.map((name) => [name, spec[name] ?? {}]));
}

/** What the chart `cluster-manager` accepts. */
export async function clusterManagerValuesSchema(): Promise<StructuralSchema> {
  const { create: _, mode: __, ...passedOn } = clusterManagerDefaults.clusterManager;
  const properties: Schemas<ClusterManagerChartValues> = {
    ...operator,
    images: images(Object.keys(clusterManagerDefaults.images.overrides)),
    createBootstrapToken: bool('Whether new clusters get a bootstrap token.'),
    createBootstrapSA: bool('Whether new clusters get tokens of a service account.'),
    bootstrapToken: object('Of the bootstrap token; empty: the one that there is, or a new one for a day.', {
      secret: text('16 lower-case letters and digits.'),
      expiration: text('When it ends, as RFC 3339.'),
    }),
    clusterManager: object('The ClusterManager.', {
      create: bool('Whether it is created.'),
      mode: oneOf('Where the programs of the hub run.', ['Default', 'Hosted']),
      ...(await specFields('ClusterManager', Object.keys(passedOn))),
    }),
    monitoring: object('What is made for Prometheus and Grafana.', {
      serviceMonitor,
      prometheusRule: monitor('PrometheusRule with alerts.'),
      grafanaDashboard: monitor('ConfigMap with a dashboard.'),
    }),
  };
  return object('Values of the chart cluster-manager.', properties);
}

/** What the chart `klusterlet` accepts. */
export async function klusterletValuesSchema(): Promise<StructuralSchema> {
  const { create: _, mode: __, name: ___, clusterName: ____, ...passedOn } = klusterletDefaults.klusterlet;
  const fields = await specFields('Klusterlet', Object.keys(passedOn));
  const properties: Schemas<KlusterletChartValues> = {
    ...operator,
    images: images(Object.keys(klusterletDefaults.images.overrides)),
    bootstrapHubKubeConfig: text('Kubeconfig by which the cluster requests to join.'),
    grpcConfig: text('config.yaml of the bootstrap secret, for hubs that are reached by gRPC.'),
    multiHubBootstrapHubKubeConfigs: listOf(
      'For the gate MultipleHubs: a secret for each hub.',
      object('One hub.', { name: text('Name of the secret.'), kubeConfig: text('Bootstrap kubeconfig of the hub.') }),
    ),
    externalManagedKubeConfig: text('Kubeconfig of the managed cluster, in the hosted modes.'),
    noOperator: bool('Only the Klusterlet and what it needs: an operator runs already.'),
    klusterlet: object('The Klusterlet.', {
      create: bool('Whether it is created.'),
      mode: oneOf('Where the agents run.', ['Default', 'Singleton', 'Hosted', 'SingletonHosted']),
      name: text('Empty: klusterlet, and klusterlet-<clusterName> in the hosted modes.'),
      clusterName: text('Name of this cluster on the hub. The chart requires it.'),
      ...fields,
      namespace: text('Empty: open-cluster-management-agent, and open-cluster-management-<clusterName> if hosted.'),
      // Empty if there is none.
      hubApiServerHostAlias: { ...fields.hubApiServerHostAlias, required: [] },
    }),
    monitoring: object('What is made for Prometheus.', { serviceMonitor }),
  };
  return object('Values of the chart klusterlet.', properties);
}
