import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf, deploy, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort } from '@flotilla/envtest';
import { createToken } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';

/** Programs that do the same job. */
export interface Contestant {
  readonly name: 'ours' | 'OCM';
  startHub(): Promise<Program>;
  startAgent(clusterName: string, kind: 'registration' | 'singleton'): Promise<Program>;
}

/** Both, on the same servers and with the same rights. */
export interface Contest extends AsyncDisposable {
  readonly ours: Contestant;
  readonly ocm: Contestant;
  /** Who the hubs are for the API server. */
  readonly hubUser: string;
}

const agentNamespace = 'open-cluster-management-agent';
const hubNamespace = 'open-cluster-management-hub';
const hubUser = 'hub-under-test';

/** Prepares a hub and a managed cluster for the programs of both. */
export async function startContest(hub: Cluster, managed: Cluster): Promise<Contest> {
  const programs = await ocmPrograms();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
  await deploy(hub, 'hub', ['namespace.yaml', 'bootstrap.yaml']);
  await deploy(managed, 'agent', ['namespace.yaml']);
  const { kubeconfigPath: hubKubeconfig } = await hub.createUser({ name: hubUser, groups: ['system:masters'] });
  const bootstrap = join(directory, 'bootstrap.yaml');
  const { token } = await createToken(hub.client, 'open-cluster-management/agent-registration-bootstrap', {
    expirationSeconds: 7200,
  });
  const { server, ca } = hub;
  await writeKubeconfig(bootstrap, kubeconfigFor({ server, ca, authorization: `Bearer ${token}`, origin: 'bench' }));

  const agentFlags = async (clusterName: string) => {
    const identity = await mkdtemp(join(directory, 'hub-kubeconfig-'));
    const flags = [
      `--spoke-cluster-name=${clusterName}`,
      `--kubeconfig=${managed.kubeconfigPath}`,
      `--namespace=${agentNamespace}`,
      `--bootstrap-kubeconfig=${bootstrap}`,
      `--hub-kubeconfig-dir=${identity}`,
    ];
    return { flags, identity };
  };
  const listen = async () => `--listen=127.0.0.1:${await findFreePort()}`;
  const hubFlags = [`--kubeconfig=${hubKubeconfig}`, `--namespace=${hubNamespace}`];
  const node = async (app: string, args: readonly string[]) =>
    startExecutable(process.execPath, [bundleOf(app), ...args, await listen()]);
  const go = async (program: keyof typeof programs, args: readonly string[]) =>
    startExecutable(programs[program], [...args, await listen()]);
  return {
    hubUser,
    ours: {
      name: 'ours',
      // OCM runs each group of controllers as a program of its own, and the one here has registration alone.
      startHub: () => node('hub', ['controller', '--controllers=registration', ...hubFlags]),
      async startAgent(name, kind) {
        const { flags } = await agentFlags(name);
        return kind === 'singleton' ? node('singleton', flags) : node('agent', ['registration', ...flags]);
      },
    },
    ocm: {
      name: 'OCM',
      startHub: () => go('registration', ['controller', ...hubFlags]),
      async startAgent(name, kind) {
        const { flags, identity } = await agentFlags(name);
        if (kind === 'registration') return go('registration', ['agent', ...flags]);
        const source = `--workload-source-config=${join(identity, 'kubeconfig')}`;
        return go('registration-operator', ['agent', ...flags, source]);
      },
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
