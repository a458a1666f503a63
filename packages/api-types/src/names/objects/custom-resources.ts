import { composed, formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

const index = '[0-9]+';

export const objectTable = {
  ClusterManager: { value: 'cluster-manager', on: ['ClusterManager'], meaning: 'The hub that the CLI installs.' },
  Klusterlet: { value: 'klusterlet', on: ['Klusterlet'], meaning: 'The klusterlet of a cluster that is not hosted.' },
  HostedKlusterlet: composed(
    'klusterlet-hosted-{suffix}',
    ['Klusterlet'],
    'A hosted klusterlet made by the CLI; its namespace on the management cluster is named alike.',
    { suffix: '[a-z0-9]{6}' },
  ),
  ChartHostedKlusterlet: composed('klusterlet-{cluster}', ['Klusterlet'], 'A hosted klusterlet made by the chart.'),
  DefaultClusterSet: {
    value: 'default',
    on: ['ManagedClusterSet'],
    meaning: 'The exclusive set of clusters that name no other.',
  },
  GlobalClusterSet: { value: 'global', on: ['ManagedClusterSet'], meaning: 'The set of all clusters.' },
  NoDefaultConfig: {
    value: '__reserved_no_default__',
    on: ['ClusterManagementAddOn'],
    meaning: 'In v1beta1 the name of a default configuration that is supported but not set.',
  },
  AddOnTemplate: formatted('{addOn}-{version}', ['AddOnTemplate'], 'Template that the CLI makes.'),
  PlacementDecision: composed(
    '{placement}-decision-{number}',
    ['PlacementDecision'],
    'One page of decisions, counted from 1 over all groups.',
    { number: '[1-9][0-9]*' },
  ),
  AppliedManifestWork: composed(
    '{hubHash}-{manifestWork}',
    ['AppliedManifestWork'],
    'What was applied for a work of one hub.',
    { hubHash: '[0-9a-f]{64}' },
  ),
  AddOnDeployWorkPrefix: composed(
    'addon-{addOn}-deploy',
    ['ManifestWork'],
    'Start of the names of all works of an add-on but its hooks.',
  ),
  AddOnDeployWork: composed('addon-{addOn}-deploy-{index}', ['ManifestWork'], 'Manifests of an add-on.', { index }),
  AddOnHostingDeployWork: formatted(
    'addon-{addOn}-deploy-hosting-{namespace}-{index}',
    ['ManifestWork'],
    'Manifests of an add-on for the hosting cluster; the namespace is that of the add-on.',
    { index },
  ),
  AddOnPreDeleteWork: composed('addon-{addOn}-pre-delete', ['ManifestWork'], 'Pre-delete hook of an add-on.'),
  AddOnHostingPreDeleteWork: formatted(
    'addon-{addOn}-pre-delete-hosting-{namespace}',
    ['ManifestWork'],
    'Pre-delete hook of an add-on on the hosting cluster.',
  ),
} as const satisfies NameTable;

/** Objects of OCM's own kinds. */
export const ObjectName = /* @__PURE__ */ constantsOf(objectTable);
