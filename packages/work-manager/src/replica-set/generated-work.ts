import {
  Label,
  type ManifestCondition,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkStatus,
} from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import { type WallTime, wallTime } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';
import { specHash } from './template.ts';

/** A work of a replica set without what a rollout does not read: there may be very many, with half a megabyte of manifests each. */
export interface GeneratedWork extends ManifestWork {
  /** Of the spec, which is dropped. */
  readonly specHash?: string;
  /** When the spec was last written. */
  readonly specTime?: WallTime;
}

/** The value of the label by which works belong to a replica set. */
export const ownerLabelOf = ({ metadata }: Pick<ManifestWorkReplicaSet, 'metadata'>): string =>
  `${metadata?.namespace}.${metadata?.name}`;

/** The key of the replica set of a work. Namespaces have no dots, names may. */
export function ownerKeyOf({ metadata }: ManifestWork): string | undefined {
  const owner = metadata?.labels?.[Label.ManifestWorkReplicaSet] ?? '';
  const dot = owner.indexOf('.');
  return dot > 0 && dot < owner.length - 1 ? joinKey(owner.slice(0, dot), owner.slice(dot + 1)) : undefined;
}

/** The cluster of a work. */
export const clusterOf = ({ metadata }: ManifestWork): string => metadata?.namespace ?? '';

/** The placement for which a work was generated. */
export const placementOf = ({ metadata }: ManifestWork): string | undefined =>
  metadata?.labels?.[Label.ManifestWorkPlacement];

function specTimeOf({ metadata }: ManifestWork): WallTime | undefined {
  const times = (metadata?.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => !subresource && fieldsV1 !== undefined && 'f:spec' in fieldsV1)
    .map(({ time }) => parseTime(time) ?? 0);
  return times.length > 0 ? wallTime(Math.max(...times)) : parseTime(metadata?.creationTimestamp);
}

const longestMessage = 300;

/** Only messages about what is not as it should be are read. */
const conditionOf = ({ message, ...condition }: Condition): Condition => ({
  ...condition,
  message: message.slice(0, longestMessage),
});

const manifestOf = ({ resourceMeta, statusFeedback, conditions }: ManifestCondition): ManifestCondition => ({
  resourceMeta: {
    ordinal: resourceMeta.ordinal,
    kind: resourceMeta.kind,
    namespace: resourceMeta.namespace,
    name: resourceMeta.name,
  },
  ...(statusFeedback && { statusFeedback }),
  conditions: conditions.map(conditionOf),
});

const statusOf = ({ conditions, resourceStatus }: ManifestWorkStatus): ManifestWorkStatus => ({
  conditions: conditions?.map(conditionOf),
  resourceStatus: { manifests: resourceStatus?.manifests?.map(manifestOf) },
});

/**
 * Drops what is not read of a work. `known` is the work as it was: a spec of the same generation is not hashed again, so that
 * reports of agents cost the same for large works as for small ones.
 */
export function generatedWorkOf(work: ManifestWork, known?: GeneratedWork): GeneratedWork {
  const { metadata, spec, status } = work;
  const isSameSpec =
    known?.metadata?.uid === metadata?.uid &&
    known?.metadata?.generation === metadata?.generation &&
    metadata?.generation !== undefined;
  return {
    metadata: {
      name: metadata?.name,
      namespace: metadata?.namespace,
      uid: metadata?.uid,
      resourceVersion: metadata?.resourceVersion,
      generation: metadata?.generation,
      labels: metadata?.labels,
      annotations: metadata?.annotations,
      creationTimestamp: metadata?.creationTimestamp,
      deletionTimestamp: metadata?.deletionTimestamp,
    },
    status: status && statusOf(status),
    specHash: isSameSpec ? known?.specHash : specHash(spec),
    specTime: specTimeOf(work),
  };
}
