import { Finalizer, type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { apiVersionOf, formatTime, stringifyJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import {
  type CloudEvent,
  deletionTimestamp,
  Extension,
  requiredExtension,
  stringExtension,
} from '../event/cloud-event.ts';
import { createEvent, type EventOrigin } from '../event/create-event.ts';
import { dataTypes, formatDataType } from '../event/data-type.ts';
import { dataObject, jsonObject } from '../event/event-json.ts';
import { MalformedEvent, quoted } from '../event/malformed.ts';
import { resourceVersion } from '../event/resource-version.ts';
import { statusHash } from '../event/status-hash.ts';
import { callLimits } from '../limits.ts';
import { logTracing, restoreTracing } from './log-tracing.ts';
import { type EventPurpose, withoutManagedFields } from './object-codec.ts';

/*
 * A ManifestWork travels as a "manifest bundle": its spec in the data, its metadata in an extension, and its generation as the version.
 */

/** The label of a received ManifestWork with the source that it came from; a status report goes back there. */
export const originalSourceLabel = 'cloudevents.open-cluster-management.io/originalsource';
/** The annotation of a received ManifestWork with its data type. */
export const dataTypeAnnotation = 'cloudevents.open-cluster-management.io/datatype';

const { maxReportedManifests } = callLimits;

/** The most bytes of JSON that the manifests of one ManifestWork may have. */
export const maxManifestBytes = 500 * 1024;

const dataType = dataTypes.manifestBundles;
type Spec = NonNullable<ManifestWork['spec']>;
type Status = NonNullable<ManifestWork['status']>;

/** A ManifestWork for the agent of its cluster. */
export function encodeBundle(work: ManifestWork, purpose: EventPurpose): CloudEvent {
  const { spec, metadata = {} } = withoutManagedFields(work);
  const { workload, deleteOption, manifestConfigs, executor } = spec ?? {};
  const deleted = metadata.deletionTimestamp;
  // The misspelt key is that of the wire.
  const bundle = { manifests: workload?.manifests ?? [], deleteOption, manifestConfigs, executer: executor };
  return bundleEvent(work, purpose, {
    extensions: {
      [Extension.Metadata]: stringifyJson(metadata),
      ...(deleted && { [Extension.DeletionTimestamp]: new Date(deleted) }),
    },
    ...(!deleted && { data: bundle }),
  });
}

/** A ManifestWork that is gone. Its version and name are there, because an agent does not read the event without them. */
export function encodeGoneBundle(work: ManifestWork, purpose: EventPurpose): CloudEvent {
  const deleted = work.metadata?.deletionTimestamp;
  return bundleEvent(work, purpose, {
    extensions: {
      [Extension.Metadata]: stringifyJson(withoutManagedFields(work).metadata ?? {}),
      [Extension.DeletionTimestamp]: new Date(deleted ?? purpose.now),
    },
  });
}

/** The ManifestWork that a hub sent to an agent. */
export function decodeBundle(event: CloudEvent): ManifestWork {
  const metadata = bundleMetadata(event);
  const deleted = deletionTimestamp(event);
  const kind = { apiVersion: apiVersionOf(manifestWorks), kind: manifestWorks.kind };
  if (deleted) {
    const finalizers = [Finalizer.ManifestWorkCleanup];
    return { ...kind, metadata: { ...metadata, deletionTimestamp: formatTime(deleted.getTime()), finalizers } };
  }
  const { manifests, deleteOption, manifestConfigs, executer } = dataObject(event);
  checkManifests(manifests);
  const spec = { workload: { manifests }, deleteOption, manifestConfigs, executor: executer };
  // The CustomResourceDefinition of the hub has checked what is in here.
  return { ...kind, metadata, spec: withoutUndefined(spec) as Spec };
}

/** The report of an agent on a ManifestWork that it received. */
export function encodeBundleStatus(work: ManifestWork, origin: EventOrigin, sequenceId: string): CloudEvent {
  const source = work.metadata?.labels?.[originalSourceLabel];
  if (!source) {
    throw new MalformedEvent(`ManifestWork ${work.metadata?.name} lacks the label ${originalSourceLabel}`);
  }
  const { conditions = null, resourceStatus } = work.status ?? {};
  return bundleEvent(
    work,
    { ...origin, subresource: 'status', action: 'update_request' },
    {
      originalSource: source,
      extensions: {
        [Extension.SequenceId]: sequenceId,
        [Extension.StatusHash]: statusHash(work.status),
        [Extension.Metadata]: stringifyJson(withoutManagedFields(work).metadata ?? {}),
      },
      data: withoutUndefined({ conditions, resourceStatus: resourceStatus?.manifests }),
    },
  );
}

/** What an agent reports on a ManifestWork. */
export interface BundleStatus {
  readonly uid: string;
  readonly clusterName: string;
  /** The generation that the report is about. */
  readonly generation: bigint;
  readonly sequenceId: string;
  readonly status: Status;
}

/** The report of an event. */
export function decodeBundleStatus(event: CloudEvent): BundleStatus {
  const { conditions, resourceStatus } = dataObject(event);
  for (const [field, value] of Object.entries({ conditions, resourceStatus })) {
    if (value != null && !Array.isArray(value)) throw new MalformedEvent(`${field} of the status is not a list`);
  }
  checkReported(resourceStatus);
  return {
    uid: requiredExtension(event, Extension.ResourceId),
    clusterName: requiredExtension(event, Extension.ClusterName),
    generation: resourceVersion(event),
    sequenceId: requiredExtension(event, Extension.SequenceId),
    // The API server checks each condition before it stores it.
    status: {
      ...(Array.isArray(conditions) && { conditions }),
      ...(Array.isArray(resourceStatus) && { resourceStatus: { manifests: resourceStatus } }),
    } as Status,
  };
}

function checkReported(manifests: unknown): void {
  if (!Array.isArray(manifests)) return;
  if (manifests.length > maxReportedManifests) {
    throw new KubeError(
      'RequestTooLarge',
      `the report is about ${manifests.length} manifests, and may be about ${maxReportedManifests}: split the ManifestWork`,
      { status: 413 },
    );
  }
  const index = manifests.findIndex((manifest) => !isRecord(manifest));
  if (index >= 0) throw new MalformedEvent(`resourceStatus[${index}] is not an object`);
}

function bundleEvent(
  work: ManifestWork,
  purpose: EventPurpose,
  content: { originalSource?: string; extensions: Record<string, string | Date>; data?: object },
): CloudEvent {
  const { uid, namespace, generation = 0, annotations } = work.metadata ?? {};
  if (!uid || !namespace) throw new MalformedEvent(`ManifestWork ${work.metadata?.name} lacks a uid or a namespace`);
  const { subresource, action } = purpose;
  return createEvent(purpose, {
    ...content,
    type: { dataType, subresource, action },
    clusterName: namespace,
    extensions: {
      [Extension.ResourceId]: uid,
      // An integer for agents of OCM, which has 32 bits; a larger one is a string, which ours read.
      [Extension.ResourceVersion]: generation === (generation | 0) ? generation : String(generation),
      [Extension.LogTracing]: logTracing(annotations),
      ...content.extensions,
    },
    ...(content.data && { data: withoutUndefined(content.data) }),
  });
}

/** The metadata of a ManifestWork that a hub sent, whether or not the rest of it can be read. */
export function bundleMetadata(event: CloudEvent): NonNullable<ManifestWork['metadata']> {
  const uid = requiredExtension(event, Extension.ResourceId);
  const namespace = requiredExtension(event, Extension.ClusterName);
  const generation = Number(resourceVersion(event));
  const text = stringExtension(event, Extension.Metadata);
  const sent = text ? jsonObject(`extension ${Extension.Metadata}`, text) : {};
  const { resourceVersion: _, labels, annotations, ...metadata } = sent;
  const name = typeof metadata.name === 'string' && metadata.name !== '' ? metadata.name : uid;
  return {
    ...metadata,
    name,
    namespace,
    uid,
    generation,
    labels: { ...stringMap(labels), [originalSourceLabel]: event.source },
    annotations: {
      ...stringMap(annotations),
      ...restoreTracing(stringExtension(event, Extension.LogTracing)),
      [dataTypeAnnotation]: formatDataType(dataType),
    },
  };
}

function checkManifests(manifests: unknown): asserts manifests is object[] {
  if (!Array.isArray(manifests) || manifests.length === 0) {
    throw new MalformedEvent(`manifests is ${quoted(manifests)}, and must be a list with at least one manifest`);
  }
  const bytes = Buffer.byteLength(stringifyJson(manifests));
  if (bytes > maxManifestBytes) {
    throw new MalformedEvent(
      `the manifests have ${bytes} bytes, and may have ${maxManifestBytes}: split the ManifestWork`,
    );
  }
  for (const [index, manifest] of manifests.entries()) {
    const metadata = isRecord(manifest) && isRecord(manifest.metadata) ? manifest.metadata : {};
    if (typeof metadata.name === 'string' && metadata.name !== '' && !metadata.generateName) continue;
    throw new MalformedEvent(`manifests[${index}] needs metadata.name, and must not have metadata.generateName`);
  }
}

const stringMap = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, child]) => child !== undefined)) as T;
