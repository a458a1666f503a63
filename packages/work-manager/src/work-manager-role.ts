import { ApiGroup, Permission } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rules[number] => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

/** What the hub's work controllers need on the hub, without wildcards. */
export const workManagerRules = (): Rules => [
  // As which account a work is applied is the choice of its template.
  rule(ApiGroup.Work, ['manifestworks'], [...read, 'create', 'patch', 'delete', Permission.ExecuteAs.verb]),
  rule(ApiGroup.Work, ['manifestworkreplicasets'], [...read, 'patch']),
  rule(ApiGroup.Work, ['manifestworkreplicasets/status'], ['patch']),
  rule(ApiGroup.Cluster, ['placements', 'placementdecisions', 'managedclusters'], read),
  // Earlier templates, with the gate ManifestWorkReplicaSetRevisions.
  rule('apps', ['controllerrevisions'], [...read, 'create', 'patch', 'delete']),
];

/** What the webhook of works needs on the hub. */
export const workWebhookRules = (): Rules => [
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
