import { formatKubeconfig, kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { CliContext, GlobalOptions } from '../context.ts';
import { memberAccess, memberNames, requireMember } from '../reach/member-access.ts';

/** The flags of `get kubeconfig`. */
export interface GetKubeconfigOptions {
  readonly cluster: string;
  /** A file. */
  readonly output?: string;
}

/** Prints or writes a kubeconfig that leads to a cluster through the hub. */
export async function getKubeconfig(context: CliContext, options: GetKubeconfigOptions & GlobalOptions): Promise<void> {
  const { cluster, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireMember(context, hub, cluster);
  const kubeconfig = kubeconfigFor(memberAccess(hub.access, cluster), memberNames(cluster));
  const { expiresAt } = hub.access;
  if (expiresAt !== undefined) {
    context.err.write(
      `The credentials in it end at ${new Date(expiresAt).toISOString()}: they are issued by a plugin.\n`,
    );
  }
  if (output === undefined) {
    context.out.write(formatKubeconfig(kubeconfig));
    return;
  }
  await writeKubeconfig(output, kubeconfig);
  context.err.write(`${output} leads to cluster ${cluster}. Try: kubectl --kubeconfig ${output} get namespaces\n`);
}
