import type { ManifestWork } from '@flotilla/api-types';
import { isRecord } from '@flotilla/schema';

// What a webhook is sent was checked against the schema of whatever version of the definition is installed, so it is checked again.

const isAbsentOr = (value: unknown, test: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || test(value);

const isExecutor = (executor: unknown): boolean =>
  isRecord(executor) &&
  isAbsentOr(
    executor.subject,
    (subject) =>
      isRecord(subject) &&
      isAbsentOr(
        subject.serviceAccount,
        (account) => isRecord(account) && typeof account.namespace === 'string' && typeof account.name === 'string',
      ),
  );

const isWorkload = (workload: unknown): boolean => isRecord(workload) && isAbsentOr(workload.manifests, Array.isArray);

const isConfigList = (configs: unknown): boolean =>
  Array.isArray(configs) && configs.every((config) => isRecord(config) && isRecord(config.resourceIdentifier));

/** Whether each field that the webhook reads of a work has its type; manifests are checked one by one later. */
export function isWork(value: unknown): value is ManifestWork {
  if (!isRecord(value) || !isRecord(value.metadata)) return false;
  return isAbsentOr(
    value.spec,
    (spec) =>
      isRecord(spec) &&
      isAbsentOr(spec.workload, isWorkload) &&
      isAbsentOr(spec.executor, isExecutor) &&
      isAbsentOr(spec.manifestConfigs, isConfigList),
  );
}
