import { stringify } from 'yaml';
import { alertRules } from '../chart/alerts.ts';
import { bootstrapAccessRules } from '../chart/bootstrap-access.ts';
import { type ClusterManagerRelease, clusterManagerDefinitions } from '../chart/cluster-manager-chart.ts';
import { clusterManagerOperatorRules } from '../chart/cluster-manager-rules.ts';
import { fleetDashboard } from '../chart/dashboard.ts';
import { clusterManagerDefaults, klusterletDefaults } from '../chart/defaults.ts';
import type { ChartRelease } from '../chart/images.ts';
import { chartSchema } from '../chart/json-schema.ts';
import { klusterletDefinitions } from '../chart/klusterlet-chart.ts';
import { klusterletOperatorRules } from '../chart/klusterlet-rules.ts';
import { clusterManagerValuesSchema, klusterletValuesSchema } from '../chart/values-schema.ts';
import type { Manifests } from '../manifests.ts';
import { formatValues } from './values-file.ts';

/** A file of a chart. */
export interface ChartFile {
  /** Relative to the directory of the chart. */
  readonly path: string;
  readonly text: string;
}

const yaml = (value: unknown): string => stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });
const generated = '# Generated from packages/install by `npm run generate`. Do not edit.\n';

/**
 * The oldest Kubernetes of each cluster; guides name it too. Budgets that the operator of a hub applies have the field
 * `unhealthyPodEvictionPolicy`, which 1.27 serves by default. The chart of an agent leaves the field out on older clusters.
 */
const oldestKubernetes = { 'cluster-manager': '1.27', klusterlet: '1.25' };

const chartYaml = (name: keyof typeof oldestKubernetes, description: string, { version }: ChartRelease): ChartFile => ({
  path: 'Chart.yaml',
  text:
    generated +
    yaml({
      apiVersion: 'v2',
      name,
      description,
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: `>=${oldestKubernetes[name]}.0-0`,
      home: 'https://github.com/flotilla/flotilla',
      keywords: ['open-cluster-management', 'multicluster', 'operator'],
    }),
});

const definitionFiles = (definitions: Manifests['definitions']): ChartFile[] =>
  definitions.map((definition) => ({
    path: `crds/${definition.metadata.name}.yaml`,
    text: generated + yaml(definition),
  }));

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of the chart `cluster-manager` that are not written by hand. */
export async function clusterManagerChartFiles(release: ClusterManagerRelease): Promise<ChartFile[]> {
  const schema = await clusterManagerValuesSchema();
  return [
    chartYaml('cluster-manager', 'The operator of hubs, and a hub for Kubernetes clusters that join it.', release),
    { path: 'values.yaml', text: generated + formatValues(clusterManagerDefaults, schema) },
    { path: 'values.schema.json', text: json(chartSchema(schema)) },
    ...definitionFiles(await clusterManagerDefinitions()),
    { path: 'files/operator-rules.yaml', text: yaml(clusterManagerOperatorRules(release.drivers)) },
    { path: 'files/bootstrap-rules.yaml', text: yaml(bootstrapAccessRules(release.drivers)) },
    { path: 'files/alerts.yaml', text: yaml(alertRules()) },
    { path: 'files/dashboard.json', text: json(fleetDashboard()) },
  ];
}

/** The files of the chart `klusterlet` that are not written by hand. */
export async function klusterletChartFiles(release: ChartRelease): Promise<ChartFile[]> {
  const schema = await klusterletValuesSchema();
  return [
    chartYaml('klusterlet', 'The operator of agents, and the agent that joins this cluster to a hub.', release),
    { path: 'values.yaml', text: generated + formatValues(klusterletDefaults, schema) },
    { path: 'values.schema.json', text: json(chartSchema(schema)) },
    ...definitionFiles(await klusterletDefinitions()),
    { path: 'files/operator-rules.yaml', text: yaml(klusterletOperatorRules()) },
  ];
}
