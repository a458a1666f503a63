import { ApiGroup } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rules[number] => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

/** What the hub's controllers of add-ons need on the hub, without wildcards. */
export const addonManagerRules = (): Rules => [
  rule(ApiGroup.AddOn, ['clustermanagementaddons'], read),
  // Where owner references are guarded, an object may block the deletion of its owner only with this.
  rule(ApiGroup.AddOn, ['clustermanagementaddons/finalizers', 'managedclusteraddons/finalizers'], ['update']),
  rule(ApiGroup.AddOn, ['managedclusteraddons'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.AddOn, ['clustermanagementaddons/status', 'managedclusteraddons/status'], ['patch']),
  rule(ApiGroup.Cluster, ['managedclusters', 'placements', 'placementdecisions'], read),
  // Templates, their works, and the registration of their agents: signers are those that templates name.
  rule(ApiGroup.AddOn, ['addontemplates', 'addondeploymentconfigs'], read),
  rule(ApiGroup.Work, ['manifestworks'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.Certificates, ['certificatesigningrequests'], read),
  rule(ApiGroup.Certificates, ['certificatesigningrequests/approval'], ['update']),
  rule(ApiGroup.Certificates, ['certificatesigningrequests/status'], ['patch']),
  rule(ApiGroup.Certificates, ['signers'], ['approve', 'sign']),
  // Service accounts of add-ons that register by token.
  rule('', ['serviceaccounts'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.Rbac, ['roles', 'rolebindings'], [...read, 'create', 'update', 'patch', 'delete']),
  // No one may give a right that they do not have.
  rule('', ['serviceaccounts/token'], ['create', 'subscribe']),
];
