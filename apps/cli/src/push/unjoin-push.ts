import { hubHashOf, managedClusters } from '@flotilla/api-types';
import {
  memberObjectsOf,
  type PushMembership,
  type Removal,
  removeMember,
  removeObject,
  WaitTimeoutError,
} from '@flotilla/install';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { isCreatedByHub } from '@flotilla/registration-core/contract';
import { isPushed, memberSecretKey, readMemberRecord } from '@flotilla/registration-core/push';
import { removalOf } from '../cluster/removal.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { removeCluster } from '../hub/remove-cluster.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';
import { connectHub, connectMember, type PushChoice, refuseSame } from './connections.ts';
import { type ProxyFlags, proxyOf } from './proxy-flags.ts';
import { deleteAccess } from './store-access.ts';

/** The flags of `unjoin` for a cluster that the hub reaches itself. */
export interface UnjoinPushOptions extends PushChoice, Omit<ProxyFlags, 'proxyUrl'>, ChangeOptions {
  readonly clusterName: string;
  readonly clusterNamespace?: string;
  readonly force?: boolean;
  /** Seconds. */
  readonly timeout: number;
  readonly output: string;
}

/** Removes a pushed cluster: what works applied, the hub's objects, then what join made on the member. */
export async function unjoinPush(context: CliContext, options: UnjoinPushOptions & GlobalOptions): Promise<void> {
  const { clusterName, dryRun = false, output, clusterNamespace: namespace } = options;
  await using hub = await connectHub(context, options);
  await requireHub(hub.client);
  await requirePushed(hub.client, clusterName);
  await using member = await connectMember(context, clusterName, options, await proxyOf(options));
  if (member) refuseSame(hub.access, member.access);
  using progress = startProgress(context);
  const report = startReport(context, { dryRun, output });
  let count = 0;
  const removed = (where: string) => (what: string) => {
    count += 1;
    report.removed(`${what} from the ${where}`);
  };
  const hubHash = await hashOf(hub.client, clusterName);
  const membership: PushMembership = {
    clusterName,
    ...(namespace && { namespace }),
    ...(hubHash !== undefined && { hubHash }),
  };
  const onHub = removalOf(context, hub.client, options, {
    progress,
    removed: removed('hub'),
    left: report.left,
  });
  await removeFromHub(onHub, clusterName, context.program);
  if (member) {
    const onMember = removalOf(context, member.client, options, {
      progress,
      removed: removed('member'),
      left: report.left,
    });
    await removeFromMember(onMember, membership);
  } else {
    onHub.reporter.note(
      `The member is not named, so what join made there stays: Namespace ${namespace ?? 'open-cluster-management-push'} and the objects with the label open-cluster-management.io/pushed-cluster=${clusterName}. Remove them: ${context.program} unjoin ${clusterName} --cluster-kubeconfig FILE`,
    );
  }
  if (count === 0) context.err.write(`${clusterName} is not joined to this hub by push: nothing to remove.\n`);
  report.end();
}

/** Refuses a cluster with an agent: its own command removes that too. One that is gone is fine, to repeat what was interrupted. */
async function requirePushed(hub: KubeClient, clusterName: string): Promise<void> {
  const found = await hub.resource(managedClusters).find(clusterName);
  if (!found || isPushed(found)) return;
  throw new CliError(
    'precondition',
    `${clusterName} is a Pull cluster: an agent on it reaches the hub`,
    `Remove it with its agent: \`flotilla unregister ${clusterName} --cluster-kubeconfig FILE\`.`,
  );
}

/** The hash of the hub as the member knows it; undefined if the access is gone. */
async function hashOf(hub: KubeClient, clusterName: string): Promise<string | undefined> {
  const secret = await hub.resource(secrets).find(memberSecretKey(clusterName));
  try {
    return secret && hubHashOf(readMemberRecord(secret).hubServer);
  } catch {
    return undefined;
  }
}

/** The agent in the hub removes what works applied while the ManagedCluster is being deleted; then the rest goes. */
async function removeFromHub(removal: Removal, clusterName: string, program: string): Promise<void> {
  const { client, dryRun, reporter } = removal;
  await removeCluster(removal, clusterName, program);
  const key = memberSecretKey(clusterName);
  if (dryRun) {
    if (await client.resource(secrets).find(key)) reporter.removed(`Secret ${key}`);
  } else if (await deleteAccess(client, key)) reporter.removed(`Secret ${key}`);
  const handle = client.resource(namespaces);
  const found = await handle.find(clusterName);
  if (!found) return;
  if (isCreatedByHub(found)) return removeObject(removal, handle, { ...found, kind: namespaces.kind });
  reporter.left(`Namespace ${clusterName} of the hub, which was there before the cluster joined`);
}

/** Removes what join made. A member that is gone is reported with force, and is an error without. */
async function removeFromMember(removal: Removal, membership: PushMembership): Promise<void> {
  const { client, force, reporter } = removal;
  try {
    await removeMember(removal, membership);
    for (const { kind, metadata } of await memberObjectsOf(client, membership))
      reporter.left(`${kind} ${metadata?.name} of the member`);
  } catch (error) {
    if (force && error instanceof WaitTimeoutError) return reporter.left(`on the member: ${error.message}`);
    if (!force || !KubeError.is(error, 'Unavailable', 'Timeout', 'Tls', 'Unauthorized')) throw error;
    const { clusterName, namespace = 'open-cluster-management-push' } = membership;
    const why = KubeError.from(error).message;
    reporter.left(`what works applied on ${clusterName}, which cannot be reached (${why})`);
    reporter.left(`Namespace ${namespace} of ${clusterName} with the ServiceAccount of the hub`);
    reporter.left(
      `ClusterRoles, ClusterRoleBindings and ClusterClaims of ${clusterName} with the label open-cluster-management.io/pushed-cluster=${clusterName}`,
    );
  }
}
