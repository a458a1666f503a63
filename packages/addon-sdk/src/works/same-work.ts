import type { ManifestConfigOption, ManifestWork, ManifestWorkSpec } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import { type EmbeddedResource, isRecord } from '@flotilla/schema';
import { groupOf } from '../manifests/rendered-manifest.ts';

/** Whether a work is as wanted. Labels and annotations of others do not count, nor what the server fills in. */
export const isSameWork = (existing: ManifestWork, wanted: ManifestWork): boolean =>
  hasAll(existing.metadata?.labels, wanted.metadata?.labels) &&
  hasAll(existing.metadata?.annotations, wanted.metadata?.annotations) &&
  semanticEqual(ownersOf(existing), ownersOf(wanted)) &&
  semanticEqual(comparable(existing.spec), comparable(wanted.spec));

/** Owners by group: a work that another manager made for an older version of its add-on need not be written again. */
const ownersOf = ({ metadata }: ManifestWork) =>
  metadata?.ownerReferences?.map(({ apiVersion, ...reference }) => ({ ...reference, group: groupOf(apiVersion) }));

const hasAll = (
  existing: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean => Object.entries(wanted).every(([key, value]) => existing[key] === value);

/** A spec with the defaults of its schema, and without creation times that Go clients write as null. */
const comparable = ({ workload, deleteOption, manifestConfigs, executor }: ManifestWorkSpec = {}) => ({
  manifests: (workload?.manifests ?? []).map(withoutCreationTimes),
  deleteOption: deleteOption && { propagationPolicy: 'Foreground', ...deleteOption },
  manifestConfigs: (manifestConfigs ?? []).map(withDefaults),
  executor,
});

const withDefaults = ({ updateStrategy, ...config }: ManifestConfigOption) => ({
  feedbackScrapeType: 'Poll',
  ...config,
  resourceIdentifier: { group: '', namespace: '', ...config.resourceIdentifier },
  ...(updateStrategy && { updateStrategy: strategyWithDefaults(updateStrategy) }),
});

const strategyWithDefaults = ({
  serverSideApply,
  ...strategy
}: NonNullable<ManifestConfigOption['updateStrategy']>) => ({
  ...strategy,
  ...(serverSideApply && {
    serverSideApply: {
      force: false,
      fieldManager: 'work-agent',
      ...serverSideApply,
    },
  }),
});

function withoutCreationTimes(manifest: EmbeddedResource): EmbeddedResource {
  const { spec } = manifest;
  const template = isRecord(spec) ? spec.template : undefined;
  return {
    ...manifest,
    ...(manifest.metadata && { metadata: withoutCreationTime(manifest.metadata) }),
    ...(isRecord(spec) &&
      isRecord(template) &&
      isRecord(template.metadata) && {
        spec: { ...spec, template: { ...template, metadata: withoutCreationTime(template.metadata) } },
      }),
  };
}

function withoutCreationTime(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { creationTimestamp: _, ...rest } = metadata;
  return rest;
}
