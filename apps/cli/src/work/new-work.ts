import type { ManifestConfigOption, ManifestWork } from '@flotilla/api-types';
import type { ApiResource } from '@flotilla/kube/discovery';
import type { Manifest } from './manifests.ts';

/** Kinds of which agents can say by themselves how they are: plural and group by `apiVersion kind`. */
const wellKnown: Readonly<Record<string, { readonly group: string; readonly resource: string }>> = {
  'apps/v1 Deployment': { group: 'apps', resource: 'deployments' },
  'apps/v1 DaemonSet': { group: 'apps', resource: 'daemonsets' },
  'batch/v1 Job': { group: 'batch', resource: 'jobs' },
  'v1 Pod': { group: '', resource: 'pods' },
};

/** Settings that make agents report how Deployments, DaemonSets, Jobs and Pods are. */
const feedbackConfigs = (manifests: readonly Manifest[]): ManifestConfigOption[] =>
  manifests.flatMap(({ apiVersion, kind, metadata }) => {
    const known = wellKnown[`${apiVersion} ${kind}`];
    if (!known || !metadata?.name) return [];
    const { namespace = '', name } = metadata;
    return [{ resourceIdentifier: { ...known, namespace, name }, feedbackRules: [{ type: 'WellKnownStatus' }] }];
  });

/** A work for a cluster. */
export const newWork = (
  name: string,
  cluster: string,
  manifests: readonly Manifest[],
  feedback: boolean,
): ManifestWork => {
  const manifestConfigs = feedback ? feedbackConfigs(manifests) : [];
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { namespace: cluster, name },
    spec: {
      workload: { manifests: manifests.map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata } })) },
      ...(manifestConfigs.length > 0 && { manifestConfigs }),
    },
  };
};

/**
 * Puts a namespace where kubectl would: into objects of kinds that live in namespaces and name none. The kinds are those of the
 * hub; one that only the managed cluster knows is left as it is.
 */
export function withNamespaces(
  manifests: readonly Manifest[],
  kinds: readonly ApiResource[],
  namespace = 'default',
): Manifest[] {
  const namespaced = new Set(
    kinds
      .filter((kind) => kind.namespaced)
      .map(({ group, version, kind }) => `${group ? `${group}/` : ''}${version} ${kind}`),
  );
  return manifests.map((manifest) => {
    const { apiVersion, kind, metadata } = manifest;
    if (metadata?.namespace || !namespaced.has(`${apiVersion} ${kind}`)) return manifest;
    return { ...manifest, metadata: { ...metadata, namespace } };
  });
}
