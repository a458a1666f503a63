import { createHash } from 'node:crypto';
import {
  type ManifestConfigOption,
  type ManifestWorkReplicaSet,
  type ManifestWorkSpec,
  WorkManifestCondition,
} from '@flotilla/api-types';
import { canonicalText, isRecord, type Json } from '@flotilla/schema';
import { configsByManifest } from '../admission/unmatched-configs.ts';

/** What a rollout needs of a template; the template itself may be half a megabyte. */
export interface Template {
  readonly spec: ManifestWorkSpec;
  readonly hash: string;
  /** Whether condition rules say when a cluster progresses. */
  readonly hasProgressingRule: boolean;
  readonly manifests: readonly TemplateManifest[];
}

/** One manifest of a template. */
export interface TemplateManifest {
  /** Of a workload that says so, unless others may change them on the cluster. */
  readonly replicas?: number;
  /** Whether the values that are known for its kind are asked for. */
  readonly reportsWellKnownStatus: boolean;
}

const without = (value: Json | undefined, field: string): Json | undefined => {
  if (!isRecord(value) || !(field in value)) return value;
  const { [field]: _, ...rest } = value;
  return rest;
};

/** Programs that parse manifests add empty creation timestamps. */
function withoutTimestamps(manifest: Json): Json {
  if (!isRecord(manifest)) return manifest;
  const { metadata, spec, ...rest } = manifest;
  const { template, ...others } = isRecord(spec) ? spec : {};
  const podMetadata = isRecord(template) ? without(template.metadata, 'creationTimestamp') : undefined;
  return {
    ...rest,
    ...(metadata !== undefined && { metadata: without(metadata, 'creationTimestamp') ?? null }),
    ...(spec !== undefined && {
      spec:
        isRecord(spec) && isRecord(template) && podMetadata !== undefined
          ? { ...others, template: { ...template, metadata: podMetadata } }
          : spec,
    }),
  };
}

/** Without fields that are empty: OCM writes some of them as such, and users leave them out. Numbers stay, 0 is a time to live. */
function withoutEmpty(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value.map((item) => withoutEmpty(item) ?? null) : undefined;
  if (isRecord(value)) {
    const entries = Object.entries(value).flatMap(([field, each]) => {
      const kept = withoutEmpty(each ?? null);
      return kept === undefined ? [] : [[field, kept] as const];
    });
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
  return value === null || value === '' || value === false ? undefined : value;
}

/** Equal for specs of works that mean the same. */
export function specHash(spec: ManifestWorkSpec = {}): string {
  const { workload, ...settings } = spec;
  // What an API server sent is JSON.
  const manifests = (workload?.manifests ?? []) as readonly Json[];
  const text = canonicalText([manifests.map(withoutTimestamps), withoutEmpty(settings as Json) ?? null]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Whether a manifest is applied without the number of its replicas, which an autoscaler may own. */
const leavesReplicas = ({ updateStrategy }: ManifestConfigOption): boolean =>
  updateStrategy?.type === 'CreateOnly' ||
  updateStrategy?.type === 'ReadOnly' ||
  (updateStrategy?.serverSideApply?.ignoreFields ?? []).some(
    ({ jsonPaths = [], jsonPointers = [], jqPathExpressions = [] }) =>
      [...jsonPaths, ...jsonPointers, ...jqPathExpressions].some((path) => path.includes('replicas')),
  );

/** A manifest with the configs that can be for it. */
function manifestOf(manifest: unknown, configs: readonly ManifestConfigOption[]): TemplateManifest {
  const { replicas } = isRecord(manifest) && isRecord(manifest.spec) ? manifest.spec : {};
  return {
    ...(typeof replicas === 'number' && !configs.some(leavesReplicas) && { replicas }),
    reportsWellKnownStatus: configs.some(({ feedbackRules = [] }) =>
      feedbackRules.some(({ type }) => type === 'WellKnownStatus'),
    ),
  };
}

/** The template of a replica set. */
export function templateOf(replicaSet: Pick<ManifestWorkReplicaSet, 'spec'>): Template {
  const spec = replicaSet.spec?.manifestWorkTemplate ?? {};
  const rules = spec.manifestConfigs?.flatMap(({ conditionRules = [] }) => conditionRules) ?? [];
  const manifests = spec.workload?.manifests ?? [];
  const configs = configsByManifest(spec.manifestConfigs, manifests);
  return {
    spec,
    hash: specHash(spec),
    hasProgressingRule: rules.some(({ condition }) => condition === WorkManifestCondition.Progressing),
    manifests: manifests.map((manifest, index) => manifestOf(manifest, configs?.[index] ?? [])),
  };
}
