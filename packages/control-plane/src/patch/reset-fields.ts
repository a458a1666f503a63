import { fieldPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';

/** What decides which fields an endpoint leaves as they are. */
export interface Endpoint {
  readonly group: string;
  readonly plural: string;
  readonly source: 'built-in' | 'custom';
  /** Whether the kind has a status subresource. */
  readonly status: boolean;
  /** Unset for the main resource. */
  readonly subresource?: string | undefined;
}

const onlySpec = [['spec']];
const onlyStatus = [['status']];
const allButStatus = [['metadata'], ['spec']];

/** Endpoints that keep other fields than the rule says, by `plural.group/subresource`. */
const exceptions: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'deployments.apps/status': [['spec'], ['metadata', 'labels']],
  'pods./status': [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  'namespaces./finalize': onlyStatus,
  'certificatesigningrequests.certificates.k8s.io/': [['spec'], ['status']],
  'certificatesigningrequests.certificates.k8s.io/approval': [['spec'], ['status', 'certificate']],
  'certificatesigningrequests.certificates.k8s.io/status': [['spec'], ['status', 'conditions']],
  'apiservices.apiregistration.k8s.io/status': allButStatus,
  'customresourcedefinitions.apiextensions.k8s.io/status': allButStatus,
  'flowschemas.flowcontrol.apiserver.k8s.io/status': allButStatus,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status': allButStatus,
  'volumeattachments.storage.k8s.io/status': allButStatus,
};

/**
 * The fields that an endpoint keeps as they are whatever is sent, so that sending them there does not make an owner:
 * the status for the main resource, and the rest for the status.
 */
export function resetFieldsOf(endpoint: Endpoint): FieldSet | undefined {
  const { group, plural, source, status, subresource = '' } = endpoint;
  const special = source === 'built-in' ? exceptions[`${plural}.${group}/${subresource}`] : undefined;
  const paths = special ?? (status ? regularFields(source, subresource) : undefined);
  return paths && FieldSet.of(...paths.map((path) => fieldPath(...path)));
}

function regularFields(source: Endpoint['source'], subresource: string) {
  if (subresource === '') return onlyStatus;
  if (subresource !== 'status') return undefined;
  return source === 'custom' ? allButStatus : onlySpec;
}
