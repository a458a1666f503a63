import { ApiGroup, Signer } from '@flotilla/api-types';
import type { PolicyRule } from '@flotilla/kube/kinds';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { HubPermission } from '../definition/permissions.ts';
import type { RegistrationDeclaration } from '../definition/registration.ts';

const read = ['get', 'list', 'watch'];
const rule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
  ...(resourceNames && { resourceNames: [...resourceNames] }),
});

/**
 * What the controller of an add-on needs on the hub, without wildcards. Where the registration is a function, `registration` says what
 * it may declare.
 */
export function addonRules(
  { configs = {}, registration }: Pick<AddonDefinition, 'configs' | 'registration'>,
  declared: readonly RegistrationDeclaration[] = typeof registration === 'function' ? [] : (registration ?? []),
): PolicyRule[] {
  return [
    rule(ApiGroup.Cluster, ['managedclusters'], read),
    rule(ApiGroup.AddOn, ['clustermanagementaddons'], read),
    rule(ApiGroup.AddOn, ['clustermanagementaddons/status'], ['patch']),
    rule(ApiGroup.AddOn, ['managedclusteraddons'], [...read, 'patch']),
    rule(ApiGroup.AddOn, ['managedclusteraddons/status'], ['patch']),
    // Where owner references are guarded, an object may block the deletion of its owner only with this.
    rule(ApiGroup.AddOn, ['managedclusteraddons/finalizers'], ['update']),
    rule(ApiGroup.Work, ['manifestworks'], [...read, 'create', 'patch', 'delete']),
    ...Object.values(configs).map(({ type }) => rule(type.group, [type.plural], read)),
    ...(registration ? registrationRules(declared) : []),
  ];
}

function registrationRules(declared: readonly RegistrationDeclaration[]): PolicyRule[] {
  const signers = declared.map((one) => (one.type === 'kubeClient' ? Signer.KubeApiServerClient : one.signerName));
  const signed = declared.flatMap((one) => (one.type === 'customSigner' && one.sign ? [one.signerName] : []));
  const permissions = declared.flatMap((one) => (one.type === 'kubeClient' ? one.permissions : []));
  return [
    rule(ApiGroup.Certificates, ['certificatesigningrequests'], read),
    rule(ApiGroup.Certificates, ['certificatesigningrequests/approval'], ['update']),
    rule(ApiGroup.Certificates, ['signers'], ['approve'], [...new Set(signers)]),
    ...(signed.length > 0
      ? [
          rule(ApiGroup.Certificates, ['certificatesigningrequests/status'], ['patch']),
          rule(ApiGroup.Certificates, ['signers'], ['sign'], signed),
        ]
      : []),
    rule(ApiGroup.Rbac, ['roles', 'rolebindings'], [...read, 'create', 'update', 'delete']),
    ...permissions.flatMap(granted),
  ];
}

/** The API server lets nobody give away what they may not do themselves, or may not bind. */
function granted(permission: HubPermission): PolicyRule[] {
  if (permission.type === 'clusterNamespaceRules') return permission.rules.map((one) => ({ ...one }));
  const { kind, name } =
    permission.type === 'namespaceRole' ? permission.roleRef : { kind: 'ClusterRole', name: permission.clusterRole };
  return [rule(ApiGroup.Rbac, [kind === 'Role' ? 'roles' : 'clusterroles'], ['bind'], [name])];
}
