import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject, ObjectMeta } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import { hasSubresource, type ResourceInfo } from '../contracts/resource-info.ts';
import { equalJson } from '../patch/json.ts';
import { beginObject, keptStatus } from './kind-strategies.ts';
import { withAddresses } from './service-addresses.ts';
import { updateRule } from './subresources/update-rules.ts';

/** An object with fields beyond metadata, which the verbs treat alike for all kinds. */
export type AnyObject = KubeObject & { spec?: unknown; status?: unknown };

/** Kinds whose objects count their generations; custom ones all do. */
const generationKinds = new Set([
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/cronjobs',
  'batch/jobs',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/networkpolicies',
  'networking.k8s.io/ingressclasses',
  'policy/poddisruptionbudgets',
  'apiextensions.k8s.io/customresourcedefinitions',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'scheduling.k8s.io/priorityclasses',
  '/pods',
  '/podtemplates',
  '/replicationcontrollers',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'discovery.k8s.io/endpointslices',
]);

const countsGenerations = (info: ResourceInfo): boolean =>
  info.source === 'custom' || generationKinds.has(info.storage);

/** Counts from its first change, not from its creation. */
const countsChanges = (info: ResourceInfo): boolean => info.storage === 'storage.k8s.io/csidrivers';

/** Built-in kinds whose metadata an update of the status leaves alone; that of custom ones always is. */
const fixedMetadataKinds = new Set([
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'storage.k8s.io/volumeattachments',
]);

const now = ({ clock }: Backend): string => formatTime(clock.now());

/** What a client sends of a new object and may decide: its identity in time and its status are the server's. */
export function newObject(call: Call, object: AnyObject): AnyObject {
  const { info } = call;
  const metadata: ObjectMeta = { ...object.metadata };
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  if (info.namespaced) metadata.namespace = call.namespace;
  else delete metadata.namespace;
  // A node comes with its status: it is the kubelet that creates it.
  return info.storage === '/nodes' ? { ...object, metadata } : withoutStatus(info, { ...object, metadata });
}

/** What the server decides about a new object: its name if only the start was given, its identity, and how its kind begins. */
export function prepareForCreate(backend: Backend, call: Call, object: AnyObject): AnyObject {
  const { info } = call;
  const { name, generateName, ...given } = object.metadata ?? {};
  const metadata: ObjectMeta = {
    ...(name || generateName ? { name: name || `${(generateName ?? '').slice(0, 58)}${backend.newSuffix()}` } : {}),
    ...(generateName && { generateName }),
    ...given,
    uid: backend.newUid(),
    creationTimestamp: now(backend),
  };
  if (countsGenerations(info)) metadata.generation = 1;
  const begun = beginObject(info.storage, { ...object, metadata }, call.user, now(backend));
  return info.storage === '/services' ? withAddresses(backend.storage, begun) : begun;
}

/** Through the main resource the status of a kind that has a status subresource cannot be written. */
const withoutStatus = (info: ResourceInfo, object: AnyObject, status?: unknown): AnyObject => {
  if (!hasSubresource(info, 'status')) return object;
  const { status: _, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
};

/**
 * What an update may not change is carried over from the old object; a change of what the user wants raises the generation.
 * Through `status` it is the other way round: only the status is taken from the new object.
 */
export function prepareForUpdate(
  { clock }: Pick<Backend, 'clock'>,
  call: Call,
  next: AnyObject,
  old: AnyObject,
): AnyObject {
  const { info, subresource } = call;
  const metadata: ObjectMeta = { ...next.metadata, ...systemFields(old.metadata ?? {}) };
  delete metadata.resourceVersion;
  delete metadata.selfLink;
  if (!info.namespaced) delete metadata.namespace;
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const) {
    if (old.metadata?.[field] === undefined) delete metadata[field];
  }
  const special = updateRule(info.storage, subresource);
  if (special) return special({ ...next, metadata }, old, clock.now());
  if (subresource === 'status') return statusUpdate(info, { ...next, metadata }, old);
  const updated = withoutStatus(info, { ...next, metadata }, keptStatus(info.storage, next, old));
  const generation = old.metadata?.generation ?? (countsChanges(info) ? 0 : undefined);
  if (generation !== undefined && (countsGenerations(info) || countsChanges(info)) && !sameIntent(info, updated, old)) {
    metadata.generation = generation + 1;
  }
  return updated;
}

const systemFields = (old: ObjectMeta): ObjectMeta => {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = old;
  return Object.fromEntries(
    Object.entries({
      name,
      namespace,
      uid,
      creationTimestamp,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      generation,
    }).filter(([, value]) => value !== undefined),
  );
};

/** Custom resources keep all metadata but managedFields in a status update; built-in ones let labels and annotations through. */
function statusUpdate(info: ResourceInfo, next: AnyObject, old: AnyObject): AnyObject {
  const { status: _, ...rest } = old;
  const metadata: ObjectMeta =
    info.source === 'custom' || fixedMetadataKinds.has(info.storage)
      ? { ...old.metadata, ...(next.metadata?.managedFields && { managedFields: next.metadata.managedFields }) }
      : { ...next.metadata };
  // An update of a deployment's status does not change its labels.
  if (info.storage === 'apps/deployments') {
    if (old.metadata?.labels) metadata.labels = old.metadata.labels;
    else delete metadata.labels;
  }
  delete metadata.resourceVersion;
  return next.status === undefined ? { ...rest, metadata } : { ...rest, metadata, status: next.status };
}

/** Whether two objects ask for the same: for custom resources all fields but metadata and status, for built-in ones the spec. */
function sameIntent(info: ResourceInfo, left: AnyObject, right: AnyObject): boolean {
  // Rollouts record their revision in annotations, which is a change to those who watch the generation.
  if (
    info.storage === 'apps/deployments' &&
    !isDeepStrictEqual(left.metadata?.annotations, right.metadata?.annotations)
  ) {
    return false;
  }
  if (info.source === 'built-in' && left.spec !== undefined) return isDeepStrictEqual(left.spec, right.spec);
  const { metadata: _left, status: _leftStatus, apiVersion: _leftVersion, ...leftRest } = left;
  const { metadata: _right, status: _rightStatus, apiVersion: _rightVersion, ...rightRest } = right;
  if (info.source === 'custom' && !hasSubresource(info, 'status')) {
    return isDeepStrictEqual({ ...leftRest, status: left.status }, { ...rightRest, status: right.status });
  }
  return isDeepStrictEqual(leftRest, rightRest);
}

/** True if writing `next` would change nothing. */
export const unchanged = (next: AnyObject, old: AnyObject): boolean => equalJson(comparable(next), comparable(old));

const comparable = (object: AnyObject): AnyObject => {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
};
