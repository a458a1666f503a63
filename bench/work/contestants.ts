import { bundleOf, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort } from '@flotilla/envtest';
import { namespaces } from '@flotilla/kube/kinds';

/** Work agents that do the same job. */
export interface Contestant {
  readonly name: 'ours' | 'OCM';
  /** Its cluster: the namespace of its works on the hub, and of what they apply on the managed cluster. */
  readonly clusterName: string;
  /** Who it is on both servers. */
  readonly user: string;
  start(): Promise<Program>;
}

/** Prepares both servers for one of them. */
export async function prepare(name: Contestant['name'], hub: Cluster, managed: Cluster): Promise<Contestant> {
  const clusterName = name.toLowerCase();
  const user = `work-agent-${clusterName}`;
  const groups = ['system:masters'];
  const onHub = await hub.createUser({ name: user, groups });
  const onManaged = await managed.createUser({ name: user, groups });
  for (const { client } of [hub, managed]) {
    await client.resource(namespaces).create({ metadata: { name: clusterName } });
  }
  const flags = [
    'agent',
    `--spoke-cluster-name=${clusterName}`,
    // One agent leaves alone what the other applied.
    `--agent-id=${clusterName}`,
    `--kubeconfig=${onManaged.kubeconfigPath}`,
    `--workload-source-config=${onHub.kubeconfigPath}`,
    '--namespace=default',
    '--disable-leader-election',
  ];
  return {
    name,
    clusterName,
    user,
    async start() {
      const listen = `--listen=127.0.0.1:${await findFreePort()}`;
      if (name === 'OCM') return startExecutable((await ocmPrograms()).work, [...flags, listen]);
      return startExecutable(process.execPath, [bundleOf('agent'), ...flags.with(0, 'work'), listen]);
    },
  };
}
