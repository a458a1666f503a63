import type { ManifestConfigOption, ManifestFeedbackRule } from '@flotilla/api-types';
import { type EmbeddedResource, isRecord } from '@flotilla/schema';
import type { HealthProber, ProbeField, WorkloadKind } from '../definition/health.ts';
import { groupOf } from '../manifests/rendered-manifest.ts';

/** Values that every agent knows how to read. */
export const wellKnownStatus: ManifestFeedbackRule = { type: 'WellKnownStatus' };

const kinds: Readonly<Record<string, WorkloadKind>> = { Deployment: 'deployments', DaemonSet: 'daemonsets' };

interface Workload extends ProbeField {
  /** A Deployment without replicas is never available, and not meant to be. */
  readonly isScaledDown: boolean;
}

/** The workloads among manifests that a prober is about. */
function workloadsOf(
  manifests: readonly EmbeddedResource[],
  { kinds: wanted, names }: Extract<HealthProber, { type: 'workloads' }>,
): Workload[] {
  return manifests.flatMap(({ apiVersion, kind, metadata, spec }): Workload[] => {
    const resource = kinds[kind];
    const name = String(metadata?.name ?? '');
    if (!resource || groupOf(apiVersion) !== 'apps' || !wanted.includes(resource)) return [];
    if (names && !names.includes(name)) return [];
    const isScaledDown = resource === 'deployments' && isRecord(spec) && spec.replicas === 0;
    return [{ group: 'apps', resource, namespace: String(metadata?.namespace ?? ''), name, isScaledDown }];
  });
}

/** What a prober looks at in the works of an add-on. */
export function probeFields(prober: HealthProber, manifests: readonly EmbeddedResource[]): readonly ProbeField[] {
  if (prober.type === 'work') return prober.fields;
  if (prober.type !== 'workloads') return [];
  return workloadsOf(manifests, prober).filter(({ isScaledDown }) => !isScaledDown);
}

/** What agents must report for a prober. */
export function probeConfigs(
  prober: HealthProber | undefined,
  manifests: readonly EmbeddedResource[],
): ManifestConfigOption[] {
  if (prober?.type === 'workloads') return workloadsOf(manifests, prober).map((field) => configOf(field));
  return prober?.type === 'work' ? prober.fields.map(configOf) : [];
}

const configOf = ({ group, resource, namespace, name, values }: ProbeField): ManifestConfigOption => ({
  resourceIdentifier: { group, resource, ...(namespace && { namespace }), name },
  feedbackRules: [
    values
      ? { type: 'JSONPaths', jsonPaths: Object.entries(values).map(([key, path]) => ({ name: key, path })) }
      : wellKnownStatus,
  ],
});
