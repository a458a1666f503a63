import {
  type Action,
  type CloudEvent,
  clusterNameOf,
  type DataType,
  dataObject,
  dataTypes,
  type EventType,
  formatDataType,
} from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import { isRecord } from '@flotilla/schema';

/** What a SubjectAccessReview is about. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly name?: string;
}

const verbs: Readonly<Partial<Record<Action, string>>> = {
  create_request: 'create',
  update_request: 'update',
  delete_request: 'delete',
  resync_request: 'list',
};

/** The right that an event needs. Throws `Forbidden` for an action or a data type that no caller may use. */
export function publishAttributes(event: CloudEvent, { dataType, subresource, action }: EventType): ResourceAttributes {
  const verb = verbs[action];
  if (!verb)
    throw new KubeError('Forbidden', `access denied: the action ${action} cannot be published`, { status: 403 });
  const namespace = clusterNameOf(event);
  if (isSame(dataType, dataTypes.tokenRequests)) {
    return { verb, group: '', resource: 'serviceaccounts', subresource: 'token', namespace, ...nameOf(event) };
  }
  return {
    verb,
    ...resourceOf(dataType, namespace),
    ...(subresource === 'status' && { subresource: 'status' }),
    // A role may permit single objects, such as the one lease of a cluster.
    ...(verb === 'update' && isNamed(dataType) && nameOf(event)),
  };
}

/** The right that a subscription needs. */
export function subscribeAttributes(dataType: DataType, clusterName: string): ResourceAttributes {
  if (isSame(dataType, dataTypes.tokenRequests)) {
    return {
      verb: 'subscribe',
      group: '',
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: clusterName,
    };
  }
  return { verb: 'watch', ...resourceOf(dataType, clusterName) };
}

function resourceOf(dataType: DataType, namespace: string) {
  if (isSame(dataType, dataTypes.manifestBundles)) {
    return { group: 'work.open-cluster-management.io', resource: 'manifestworks', namespace };
  }
  const known = Object.values(dataTypes).find((candidate) => isSame(candidate, dataType));
  if (!known) {
    const message = `access denied: data type ${formatDataType(dataType)} is not served`;
    throw new KubeError('Forbidden', message, { status: 403 });
  }
  const isCluster = isSame(known, dataTypes.managedClusters);
  return { group: known.group, resource: known.resource, namespace, ...(isCluster && { name: namespace }) };
}

/** The objects whose data has their name. */
const isNamed = (dataType: DataType): boolean =>
  isSame(dataType, dataTypes.leases) || isSame(dataType, dataTypes.managedClusterAddOns);

function nameOf(event: CloudEvent): { name?: string } {
  const { metadata } = dataObject(event);
  const name = isRecord(metadata) ? metadata.name : undefined;
  return typeof name === 'string' && name !== '' ? { name } : {};
}

const isSame = (a: DataType, b: DataType): boolean => formatDataType(a) === formatDataType(b);
