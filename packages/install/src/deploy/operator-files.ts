import { NamespaceName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import {
  type ClusterManagerRelease,
  clusterManagerDefinitions,
  clusterManagerObjects,
} from '../chart/cluster-manager-chart.ts';
import type { ChartRelease } from '../chart/images.ts';
import { klusterletDefinitions, klusterletObjects } from '../chart/klusterlet-chart.ts';
import { namespace } from '../objects/namespace.ts';
import type { ManifestFile } from './manifest-file.ts';

/** What `kubectl apply -k` applies. The object that the operator reconciles comes after its definition is served, by another apply. */
const kustomization = (resources: readonly string[]): ManifestFile => ({
  name: 'kustomization.yaml',
  comment: [],
  objects: [{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...{ resources } }],
});

const isReconciled = ({ kind }: KubeObject): boolean => kind === 'ClusterManager' || kind === 'Klusterlet';

const filesOf = (
  definitions: readonly KubeObject[],
  objects: readonly KubeObject[],
  custom: string,
  more: readonly string[] = [],
): ManifestFile[] => [
  kustomization(['namespace.yaml', 'crd.yaml', 'operator.yaml']),
  { name: 'namespace.yaml', comment: [], objects: [namespace(NamespaceName.Operator)] },
  { name: 'crd.yaml', comment: [], objects: definitions },
  {
    name: 'operator.yaml',
    comment: ['The chart with its default values.'],
    objects: objects.filter((object) => !isReconciled(object)),
  },
  {
    name: custom,
    comment: ['Apply this once the operator is installed: kubectl apply -k first.', ...more],
    objects: objects.filter(isReconciled),
  },
];

/** The chart `cluster-manager` as plain manifests, for those who do not use Helm. */
export const clusterManagerFiles = async (release: ClusterManagerRelease): Promise<ManifestFile[]> =>
  filesOf(
    await clusterManagerDefinitions(),
    clusterManagerObjects({ createBootstrapSA: true }, release),
    'cluster-manager.yaml',
  );

/** Each cluster has its own name. This one breaks the pattern of the field, so that the API server refuses it. */
const namePlaceholder = 'CLUSTER_NAME';

/** The chart `klusterlet` as plain manifests, likewise. */
export const klusterletFiles = async (release: ChartRelease): Promise<ManifestFile[]> =>
  filesOf(
    await klusterletDefinitions(),
    klusterletObjects({ klusterlet: { clusterName: namePlaceholder } }, release),
    'klusterlet.yaml',
    [
      `Replace ${namePlaceholder} with the name of this cluster on the hub:`,
      `  sed s/${namePlaceholder}/cluster1/ klusterlet.yaml | kubectl apply -f -`,
    ],
  );
