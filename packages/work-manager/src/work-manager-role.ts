import { ApiGroup } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube';

type Rules = NonNullable<ClusterRole['rules']>;

/** What the hub's work controllers need on the hub, without wildcards. */
export const workManagerRules = (): Rules => [
  { apiGroups: [ApiGroup.Work], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'delete'] },
];

/** What the webhook of works needs on the hub. */
export const workWebhookRules = (): Rules => [
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
