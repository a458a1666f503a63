import { ManagedClusterCondition, managedClusters, NamespaceName, SecretName } from '@flotilla/api-types';
import { agentDefinitions, definitionsToApply, memberAccount, memberNamespace, memberObjects } from '@flotilla/install';
import { type ClusterAccess, isConditionTrue, keyOf } from '@flotilla/kube';
import { createToken, secrets } from '@flotilla/kube/kinds';
import type { MemberCredential, MemberRecord } from '@flotilla/registration-core/push';
import { cliOwner } from '../cluster/owner.ts';
import { waitFor } from '../cluster/wait.ts';
import { perform } from '../cluster/writes.ts';
import type { ChangeOptions, CliContext, Connection, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { readClusterInfo } from '../hub/cluster-info.ts';
import { stageOf } from '../hub/cluster-rows.ts';
import { readReach } from '../hub-access/earlier-reach.ts';
import { checkNameIsFree } from '../managed/preflight.ts';
import { startPreflight } from '../managed/preflight-report.ts';
import { checkClusterName } from '../options/cluster-name.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';
import { connectHub, connectMember, type PushChoice, refuseSame } from './connections.ts';
import { readEarlierGrant } from './earlier-grant.ts';
import { findEarlierPush, proxyAgain } from './earlier-push.ts';
import { type GrantOptions, memberValues, memberWrites, reportGrant } from './member-grant.ts';
import { checkHubRights, checkIdentityIsFree, checkMemberRights, mayAccept, readIdentity } from './preflight.ts';
import { preparePush } from './prepare-push.ts';
import { byProxy, checkProxy, type MemberProxy, type ProxyFlags, proxyOf } from './proxy-flags.ts';
import { howToRunPushAgents, whyNoPushAgents } from './push-agents.ts';
import { placeLabels, pushedCluster } from './pushed-cluster.ts';
import { stopPullAgent } from './stop-pull-agent.ts';
import { applyCluster, storeAccess } from './store-access.ts';

/** The flags of `join --push`. */
export interface JoinPushOptions extends PushChoice, GrantOptions, ProxyFlags, ChangeOptions, WaitOptions {
  readonly memberTokenExpirationSeconds?: number;
  readonly wait?: boolean;
  readonly output: string;
}

/** A token lives for a day, so that a hub that is down over a night finds its members again. */
const defaultTokenSeconds = 86_400;

/** Both clusters of a join. */
interface Both {
  readonly hub: Connection;
  readonly member: Connection;
  readonly progress: Progress;
}

/** Joins a member that the hub reaches itself: gives the hub an account there, and stores how to use it. */
export async function joinPush(context: CliContext, options: JoinPushOptions & GlobalOptions): Promise<void> {
  using progress = startProgress(context);
  await using hub = await connectHub(context, options);
  const earlier = await findEarlierPush(hub.client, options.clusterName);
  const proxy = proxyAgain(await proxyOf(options), earlier?.proxy);
  await using member = await memberOf(context, options, proxy);
  const both: Both = { hub, member, progress };
  const access = byProxy(member.access, proxy);
  const { accept, clusterUid } = await preflight(context, options, both, access);
  const published = await hubAddress(hub, earlier?.record);
  const address = { clusterName: options.clusterName, hubServer: published.server };
  const before = await readEarlierGrant(member.client, address, earlier?.record);
  const values = memberValues(options, { hubServer: published.server, record: earlier?.record, ...before });
  const definitions = await definitionsToApply(member.client, await agentDefinitions(), cliOwner);
  const onMember = memberWrites([...definitions, ...memberObjects(values)], before);
  const wanted = pushedCluster({
    clusterName: options.clusterName,
    ...(clusterUid !== undefined && { clusterUid }),
    labels: placeLabels(options),
    member: member.access,
    accept,
  });
  const formerHubServers = await formerServers(member, published.server, earlier?.record);
  const credential = (token: string): MemberCredential => ({
    access,
    token,
    serviceAccount: keyOf(memberAccount(values)),
    hubServer: published.server,
    ...(published.ca !== undefined && { hubCa: published.ca }),
    formerHubServers,
  });
  const onHub = { wanted, credential: credential('…'), earlier };
  if (!(await preparePush(context, options, both, { onMember, onHub, isRepeated: before.grant !== undefined }))) return;
  progress.busy('Preparing the member');
  await perform(member.client, onMember.first, { owner: cliOwner, clock: context.clock });
  reportGrant(progress, values);
  const expirationSeconds = options.memberTokenExpirationSeconds ?? defaultTokenSeconds;
  const { token } = await createToken(member.client, keyOf(memberAccount(values)), { expirationSeconds });
  await stopPullAgent(context, member, options, progress);
  const cluster = await applyCluster(hub.client, wanted);
  await storeAccess(hub.client, cluster, credential(token));
  await perform(member.client, onMember.last, { owner: cliOwner, clock: context.clock });
  const missing = await whyNoPushAgents(context, hub.client);
  if (missing) progress.done(missing);
  if (options.wait && accept) await available(context, both, options);
  printJoined(context, options, { server: published.server, accept });
}

function printJoined(
  context: CliContext,
  options: JoinPushOptions,
  { server, accept }: { server: string; accept: boolean },
): void {
  const { clusterName, output } = options;
  context.out.write(
    formatResult(output, {
      text: `cluster(${clusterName}) is joined successfully\n${accept ? '' : whoAccepts(context, options)}`,
      value: { cluster: clusterName, hub: server, accepted: accept },
      names: [nameOfKind(managedClusters, clusterName)],
    }),
  );
}

const memberOf = async (
  context: CliContext,
  options: JoinPushOptions & GlobalOptions,
  proxy: MemberProxy,
): Promise<Connection> => {
  const member = await connectMember(context, options.clusterName, options, proxy);
  if (member) return member;
  throw new CliError(
    'usage',
    'the member is not named',
    'Give --cluster-kubeconfig FILE, or --cluster-context NAME if it is in the kubeconfig of the hub.',
  );
};

async function preflight(
  context: CliContext,
  options: JoinPushOptions,
  { hub, member, progress }: Both,
  access: ClusterAccess,
) {
  const check = startPreflight(progress);
  const clusterName = await check('cluster name', () => checkClusterName(options.clusterName));
  await check('clusters', () => refuseSame(hub.access, member.access));
  await check('trust', () => refuseUnverified(member.access));
  await check('proxy', () => checkProxy(access));
  await check('hub', () => requireHub(hub.client));
  await check('rights on the hub', () => checkHubRights(hub.client, clusterName));
  const place = options.clusterNamespace ?? memberNamespace;
  await check('rights on the member', () => checkMemberRights(member.client, place));
  const clusterUid = await check('identity', () => readIdentity(member.client));
  await check('name on the hub', () => checkNameIsFree(hub.client, clusterName, member.client));
  await check('identity on the hub', () => checkIdentityIsFree(hub.client, clusterName, clusterUid));
  const accept = await mayAccept(hub.client, clusterName);
  if (!accept) context.err.write(`You cannot accept clusters on the hub: ${clusterName} waits for somebody who can.\n`);
  return { accept, clusterUid };
}

function refuseUnverified({ insecureSkipTlsVerify, server }: ClusterAccess): void {
  if (!insecureSkipTlsVerify) return;
  throw new CliError(
    'usage',
    `the kubeconfig of the member does not verify the certificate of ${server}, and a token would be sent there`,
    'Replace insecure-skip-tls-verify by certificate-authority in the kubeconfig.',
  );
}

/**
 * The address of the hub by which works are recorded on members: the one that agents know too, where the hub publishes it, else the one
 * of an earlier join. If the kubeconfig has the same address, its CA is the newer one.
 */
async function hubAddress(
  { client, access }: Connection,
  record: MemberRecord | undefined,
): Promise<{ server: string; ca?: string }> {
  const published = await readClusterInfo(client).catch(() => ({ server: undefined, ca: undefined }));
  const isElsewhere = record !== undefined && record.hubServer !== access.server;
  const before = isElsewhere ? { server: record.hubServer, ca: record.hubCa } : access;
  const { server = before.server, ca = before.ca } = published;
  return { server, ...(ca !== undefined && { ca }) };
}

/** Other addresses by which an agent on the member knew the hub: what it recorded under them is taken over. */
async function formerServers(
  { client }: Connection,
  hubServer: string,
  record: MemberRecord | undefined,
): Promise<string[]> {
  const names = [SecretName.BootstrapHubKubeconfig, SecretName.HubKubeconfig];
  const found = await Promise.all(
    names.map(async (name) => {
      const secret = await client.resource(secrets).find(`${NamespaceName.Agent}/${name}`);
      return readReach(secret?.data).hub?.server;
    }),
  );
  const known = [...found, ...(record ? [record.hubServer, ...record.formerHubServers] : [])];
  return [...new Set(known.filter((server) => server !== undefined))].filter((server) => server !== hubServer);
}

/** Waits until the hub reports the cluster. */
async function available(
  context: CliContext,
  { hub, progress }: Both,
  { clusterName, timeout }: JoinPushOptions,
): Promise<void> {
  const wait = {
    goal: `${clusterName} to be available`,
    hint: `Does the hub run its agents? ${howToRunPushAgents(context)}`,
    timeoutMs: timeout * 1000,
    progress,
  };
  await waitFor(context, wait, async () => {
    const cluster = await hub.client.resource(managedClusters).get(clusterName);
    const isAvailable = isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.Available);
    return isAvailable ? { found: true } : { pending: stageOf(cluster) };
  });
}

const whoAccepts = ({ program }: CliContext, { clusterName }: JoinPushOptions): string =>
  `It is not accepted yet. Somebody with the right to update managedclusters/accept runs on the hub:\n\n    ${program} accept --clusters ${clusterName}\n`;
