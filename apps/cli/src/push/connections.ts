import type { ClusterAccess } from '@flotilla/kube';
import { KubeError } from '@flotilla/kube';
import type { CliContext, ClusterChoice, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { type MemberProxy, withProxy } from './proxy-flags.ts';

/** Flags that choose the hub and the member. Those of karmadactl are accepted beside ours. */
export interface PushChoice {
  readonly clusterKubeconfig?: string;
  readonly clusterContext?: string;
  readonly karmadaContext?: string;
  readonly karmadaAs?: string;
  readonly karmadaAsGroup?: readonly string[];
  readonly karmadaAsUid?: string;
}

/** The hub, as the user or as whom the user impersonates. */
export async function connectHub(context: CliContext, options: PushChoice & GlobalOptions): Promise<Connection> {
  const { kubeconfig, context: own, karmadaContext = own, karmadaAs: user, karmadaAsUid: uid } = options;
  if (user === undefined && (uid !== undefined || options.karmadaAsGroup !== undefined)) {
    throw new CliError(
      'usage',
      '--karmada-as is missing beside --karmada-as-group or --karmada-as-uid',
      'Name the user.',
    );
  }
  const hub = await context.connector.toCluster({
    ...(kubeconfig && { kubeconfig }),
    ...(karmadaContext && { context: karmadaContext }),
  });
  if (user === undefined) return hub;
  await hub[Symbol.asyncDispose]();
  const groups = options.karmadaAsGroup ?? [];
  const impersonate = { user, ...(uid !== undefined && { uid }), ...(groups.length > 0 && { groups }) };
  return context.connector.toServer({ ...hub.access, impersonate });
}

/** The member, by its proxy. Undefined if no flag names it. */
export async function connectMember(
  context: CliContext,
  clusterName: string,
  options: PushChoice & GlobalOptions,
  proxy: MemberProxy,
): Promise<Connection | undefined> {
  const member = await chosenMember(context, clusterName, options);
  if (!member) return undefined;
  const access = withProxy(member.access, proxy);
  if (access === member.access) return member;
  await member[Symbol.asyncDispose]();
  return context.connector.toServer(access);
}

/** By `--cluster-context`, or the context that has the name of the cluster, or the current one of `--cluster-kubeconfig`. */
async function chosenMember(
  context: CliContext,
  clusterName: string,
  options: PushChoice & GlobalOptions,
): Promise<Connection | undefined> {
  const { clusterKubeconfig, clusterContext } = options;
  if (clusterKubeconfig === undefined && clusterContext === undefined) return undefined;
  const kubeconfig = clusterKubeconfig ?? options.kubeconfig;
  const file: ClusterChoice = kubeconfig === undefined ? {} : { kubeconfig };
  if (clusterContext !== undefined) return context.connector.toCluster({ ...file, context: clusterContext });
  try {
    return await context.connector.toCluster({ ...file, context: clusterName });
  } catch (error) {
    if (!KubeError.is(error, 'Config')) throw error;
    return context.connector.toCluster(file);
  }
}

/** Refuses a hub that would push to itself by mistake: the flags that choose the two were mixed up. */
export function refuseSame(hub: ClusterAccess, member: ClusterAccess): void {
  if (hub.server !== member.server) return;
  throw new CliError(
    'usage',
    `the hub and the member are the same cluster, ${hub.server}`,
    'Choose the hub with --kubeconfig or --context, and the member with --cluster-kubeconfig or --cluster-context.',
  );
}
