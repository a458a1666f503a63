import { ClusterProxyApi } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { ForwardedRequest } from '@flotilla/kube/transport';
import type { HubUser } from './member.ts';

const { hubPrefix } = ClusterProxyApi;

/** Names that each cluster has for its own; kubeadm binds its groups to the ClusterRole cluster-admin on every cluster that it makes. */
const ownPrefixes = ['system:', 'kubeadm:', hubPrefix];

/** Every API server gives these groups by itself. */
const implied = new Set(['system:authenticated', 'system:unauthenticated']);

/** What the grant of agents names: extra information about users that API servers add by themselves. */
export const passedExtras = [
  'authentication.kubernetes.io/credential-id',
  'authentication.kubernetes.io/node-name',
  'authentication.kubernetes.io/node-uid',
  'authentication.kubernetes.io/pod-name',
  'authentication.kubernetes.io/pod-uid',
] as const;

/**
 * Whom a user of the hub is on a managed cluster: the same name and groups. What begins with `system:` or `kubeadm:` means another thing
 * there: a service account of the hub is none of the cluster, and an administrator of the hub none of the cluster. They get a prefix, by
 * which the cluster can give them rights. So nobody becomes an administrator, a node or a service account of the cluster, its agent included.
 */
export function impersonationOf({ name, uid, groups, extra }: HubUser): ForwardedRequest['impersonate'] {
  if (name === '' || name === 'system:anonymous') {
    throw new KubeError('Unauthorized', 'the hub does not know who sends this request', {
      status: 401,
      hint: 'Use credentials of the hub.',
    });
  }
  const passed = passedExtras.flatMap((key) => (extra[key] ? [[key, extra[key]] as const] : []));
  return {
    user: mapped(name),
    ...(uid !== undefined && uid !== '' && { uid }),
    groups: [...new Set(groups.filter((group) => !implied.has(group)).map(mapped))],
    extra: Object.fromEntries(passed),
  };
}

/** A name that has the prefix already gets another one, so that it is never taken for what the prefix stands for. */
const mapped = (name: string): string =>
  ownPrefixes.some((prefix) => name.startsWith(prefix)) ? `${hubPrefix}${name}` : name;
