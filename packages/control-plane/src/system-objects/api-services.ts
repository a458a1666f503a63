import type { APIService } from '@flotilla/kube/kinds';

export const automanaged = 'kube-aggregator.kubernetes.io/automanaged';

type Condition = NonNullable<NonNullable<APIService['status']>['conditions']>[number];

/** What this server serves itself is always available. */
export const localCondition: Condition = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export interface LocalApiService {
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** `onstart` for what is built in; `true` for what comes and goes with definitions. */
  readonly automanaged: 'onstart' | 'true';
}

/** The APIService of a group and version that this server serves itself. */
export const localApiService = (
  { group, version }: { readonly group: string; readonly version: string },
  { groupPriority, versionPriority, automanaged: by }: LocalApiService,
): APIService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, labels: { [automanaged]: by } },
  spec: { ...(group !== '' && { group }), version, groupPriorityMinimum: groupPriority, versionPriority },
  status: { conditions: [localCondition] },
});
