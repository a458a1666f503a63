import { ApiGroup, type ManagedCluster, managedClusters, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { namespaces, selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation, sharedIdentityAnnotation } from '@flotilla/registration-core/contract';
import { isPushed } from '@flotilla/registration-core/push';
import { CliError } from '../errors/cli-error.ts';
import { noIdentity, SkippedCheck } from '../managed/preflight-report.ts';

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly name?: string;
}

/** Whether the user may do something. */
async function mayDo(client: KubeClient, resourceAttributes: Right): Promise<boolean> {
  const { status } = await client.resource(selfSubjectAccessReviews).create({ spec: { resourceAttributes } });
  return status?.allowed ?? false;
}

const nameOf = ({ verb, resource, group, subresource }: Right): string =>
  `${verb} ${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;

async function requireRights(client: KubeClient, needed: readonly Right[], where: string, hint: string): Promise<void> {
  const allowed = await Promise.all(needed.map((right) => mayDo(client, right)));
  const missing = needed.filter((_, index) => !allowed[index]);
  if (missing.length === 0) return;
  throw new CliError('precondition', `you cannot ${missing.map(nameOf).join(', ')} on ${where}`, hint);
}

/** Whether the user may do on the hub what joining needs. */
export const checkHubRights = (hub: KubeClient, clusterName: string): Promise<void> =>
  requireRights(
    hub,
    [
      { group: ApiGroup.Cluster, resource: 'managedclusters', verb: 'create' },
      { group: ApiGroup.Cluster, resource: 'managedclusters', verb: 'patch', name: clusterName },
      { group: '', resource: 'namespaces', verb: 'create' },
      { group: '', resource: 'secrets', verb: 'create', namespace: clusterName },
    ],
    'the hub',
    'Use a kubeconfig or context of an administrator of the hub (--kubeconfig, --context).',
  );

/** Whether the user may do on the member what joining needs. Who grants rights there must have them. */
export const checkMemberRights = (member: KubeClient, namespace: string): Promise<void> =>
  requireRights(
    member,
    [
      { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verb: 'create' },
      { group: '', resource: 'namespaces', verb: 'create' },
      { group: '', resource: 'serviceaccounts', verb: 'create', namespace },
      { group: '', resource: 'serviceaccounts', subresource: 'token', verb: 'create', namespace },
      { group: ApiGroup.Rbac, resource: 'clusterroles', verb: 'create' },
      { group: ApiGroup.Rbac, resource: 'clusterrolebindings', verb: 'create' },
    ],
    'the member',
    'Use a kubeconfig or context of an administrator of the member (--cluster-kubeconfig, --cluster-context).',
  );

/** Whether the user may accept the cluster: a push join is both halves of it then. */
export const mayAccept = (hub: KubeClient, clusterName: string): Promise<boolean> =>
  mayDo(hub, {
    group: ApiGroup.Register,
    resource: 'managedclusters',
    subresource: 'accept',
    verb: 'update',
    name: clusterName,
  });

/** The identity of the member, if it has one. */
export async function readIdentity(member: KubeClient): Promise<string | undefined> {
  const uid = (await member.resource(namespaces).find(NamespaceName.KubeSystem))?.metadata?.uid;
  if (uid === undefined) throw new SkippedCheck(noIdentity);
  return uid;
}

/** Refuses a member that the hub has under another name. */
export async function checkIdentityIsFree(
  hub: KubeClient,
  clusterName: string,
  uid: string | undefined,
): Promise<void> {
  if (uid === undefined) throw new SkippedCheck(noIdentity);
  const { items } = await hub.resource(managedClusters).list();
  const identityOf = ({ metadata }: ManagedCluster) => metadata?.annotations?.[clusterIdentityAnnotation];
  const isShared = ({ metadata }: ManagedCluster) => metadata?.annotations?.[sharedIdentityAnnotation] === 'true';
  const other = items.find(
    (cluster) => identityOf(cluster) === uid && cluster.metadata?.name !== clusterName && !isShared(cluster),
  );
  if (!other) return;
  throw new CliError(
    'precondition',
    `the hub has this cluster already, as ${other.metadata?.name}`,
    `Remove it first: \`flotilla ${isPushed(other) ? 'unjoin' : 'unregister'} ${other.metadata?.name} --cluster-kubeconfig FILE\`. Or choose another member with --cluster-kubeconfig.`,
  );
}
