import type { ManagedCluster, ManagedClusterSetBinding } from '@flotilla/api-types';
import { isRecord, type KubeObject } from '@flotilla/schema';

// Webhooks that mutate are called before the schema is checked, so what they read must be validated first.

const isAbsentOr = (value: unknown, test: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || test(value);

const isText = (value: unknown): boolean => typeof value === 'string';

const isListOf = (...fields: readonly string[]) => {
  const hasTexts = (item: unknown) => isRecord(item) && fields.every((field) => isText(item[field]));
  return (value: unknown): boolean => Array.isArray(value) && value.every(hasTexts);
};

const isTextMap = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);

const hasMetadata = (metadata: unknown): boolean =>
  isRecord(metadata) &&
  isAbsentOr(metadata.name, isText) &&
  isAbsentOr(metadata.labels, isTextMap) &&
  isAbsentOr(metadata.annotations, isTextMap);

/** Whether the labels and annotations of an object are of their type. */
export const isAnnotated = (value: unknown): value is KubeObject => isRecord(value) && hasMetadata(value.metadata);

/** Whether all that the webhooks read of a cluster is of its type. */
export function isCluster(value: unknown): value is ManagedCluster {
  if (!isRecord(value) || !hasMetadata(value.metadata)) return false;
  return isAbsentOr(
    value.spec,
    (spec) =>
      isRecord(spec) &&
      isAbsentOr(spec.taints, isListOf('key', 'effect')) &&
      isAbsentOr(spec.managedClusterClientConfigs, isListOf('url')) &&
      isAbsentOr(spec.hubAcceptsClient, (accepts) => typeof accepts === 'boolean'),
  );
}

/** Whether all that the webhooks read of a binding is of its type. */
export function isBinding(value: unknown): value is ManagedClusterSetBinding {
  if (!isRecord(value) || !hasMetadata(value.metadata)) return false;
  return isAbsentOr(value.spec, (spec) => isRecord(spec) && isAbsentOr(spec.clusterSet, isText));
}
