import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { leases, secrets, subjectAccessReviews } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { KubeObject } from '@flotilla/schema';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import { type Program, startExecutable, tail } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { serveAddOnVersions } from './addon-versions.ts';

/** A fleet on a real API server, where each program may be ours or that of Open Cluster Management. */
export interface InteropFleet extends Fleet {
  /** Starts a program of OCM as an administrator of a server. */
  startOcm(program: OcmProgram, server: Server, args: readonly string[]): Promise<Program>;
  startOcmHub(): Promise<Program>;
  startOcmAgent(cluster: Cluster, name: string, app?: OcmAgent): Promise<Program>;
  /** Lets a cluster in that asks, with a heartbeat every two seconds so that it can be seen; resolves when it has joined. */
  accept(name: string): Promise<void>;
  /** When the heartbeat of a cluster was renewed once more. */
  beatsOn(name: string): Promise<void>;
  /** Whether the agents of a cluster may renew its heartbeat, by the rights that the hub gave them. */
  mayRenewLease(name: string): Promise<boolean>;
  /** Removes the condition Available of a cluster, so that it must be reported again. */
  forgetAvailable(name: string): Promise<void>;
}

/** The name of a program of OCM. */
export type OcmProgram = keyof Awaited<ReturnType<typeof ocmPrograms>>;

/** Registration alone, or the whole agent in one process. */
export type OcmAgent = 'registration' | 'registration-operator';

const agentNamespace = 'open-cluster-management-agent';
const hubNamespace = 'open-cluster-management-hub';

/** Starts a hub's API server. Certificates that it signs live for so long; it serves these kinds, or Flotilla's in all versions. */
export async function startInteropFleet(
  options: { readonly certificateSeconds?: number; readonly crds?: readonly KubeObject[] } = {},
): Promise<InteropFleet> {
  const programs = await ocmPrograms();
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-interop-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const { crds } = cleanup.use(await serveAddOnVersions());
  const fleet = cleanup.use(await startFleet(await startServer('kube-apiserver', { crds, ...options })));
  const { hub, admin } = fleet;

  const started: Program[] = [];
  cleanup.defer(async () => {
    await Promise.all(started.map((program) => program.end('SIGKILL')));
  });
  const start = async (program: OcmProgram, server: Server, args: readonly string[]): Promise<Program> => {
    // OCM's operator gives its programs rights of their own; what is under test here is the API between them and ours.
    const kubeconfig = join(await mkdtemp(join(directory, 'administrator-')), 'kubeconfig');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    const serving = `--listen=127.0.0.1:${await findFreePort()}`;
    const common = [`--kubeconfig=${kubeconfig}`, '--disable-leader-election', serving];
    const running = startExecutable(programs[program], [...args, ...common]);
    started.push(running);
    return running;
  };

  const clusters = hub.client.resource(managedClusters);
  const heartbeat = async (name: string) =>
    (await hub.client.resource(leases).find(`${name}/managed-cluster-lease`))?.spec?.renewTime;
  const running = cleanup.move();
  return {
    ...fleet,
    startOcm: start,
    startOcmHub: () => start('registration', hub, ['controller', `--namespace=${hubNamespace}`]),
    async startOcmAgent(cluster, name, app = 'registration') {
      const identity = await mkdtemp(join(directory, 'hub-kubeconfig-'));
      return start(app, cluster.server, [
        'agent',
        `--spoke-cluster-name=${name}`,
        `--namespace=${agentNamespace}`,
        `--bootstrap-kubeconfig=${cluster.bootstrapFile}`,
        `--hub-kubeconfig-dir=${identity}`,
        ...(app === 'registration' ? [] : [`--workload-source-config=${join(identity, 'kubeconfig')}`]),
      ]);
    },
    async accept(name) {
      await admin.asked(name);
      await clusters.patch(name, { type: 'merge', body: { spec: { leaseDurationSeconds: 2 } } });
      await admin.admit(name);
      await admin.joined(name);
    },
    async beatsOn(name) {
      const before = await heartbeat(name);
      const isLater = ({ metadata, spec }: { metadata?: { namespace?: string }; spec?: { renewTime?: string } }) =>
        metadata?.namespace === name && spec?.renewTime !== undefined && spec.renewTime !== before;
      await admin.seen.until(leases, `a heartbeat of ${name} after ${before}`, isLater);
    },
    async mayRenewLease(namespace) {
      const lease = { group: 'coordination.k8s.io', resource: 'leases', name: 'managed-cluster-lease', namespace };
      const attributes = { ...lease, verb: 'update' };
      const groups = [`system:open-cluster-management:${namespace}`];
      const spec = { user: `system:open-cluster-management:${namespace}:a`, groups, resourceAttributes: attributes };
      return (await hub.client.resource(subjectAccessReviews).create({ spec })).status?.allowed ?? false;
    },
    async forgetAvailable(name) {
      const { conditions = [] } = (await clusters.find(name))?.status ?? {};
      const kept = conditions.filter(({ type }) => type !== 'ManagedClusterConditionAvailable');
      const { metadata } = await clusters.status.patch(name, { type: 'merge', body: { status: { conditions: kept } } });
      // What is waited for next must not be found in what was before.
      await admin.seen.until(
        managedClusters,
        `${name} without what was forgotten`,
        (cluster) =>
          cluster.metadata?.name === name &&
          Number(cluster.metadata.resourceVersion) >= Number(metadata?.resourceVersion),
      );
    },
    logs: () => [fleet.logs(), ...started.map(tail)].join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Makes an agent check its identity: one of OCM does so every five minutes, or when the secret changes. */
export async function touchIdentity({ server }: Cluster, value: string): Promise<void> {
  const body = { metadata: { annotations: { 'e2e.flotilla/touched': value } } };
  await server.client.resource(secrets).patch(`${agentNamespace}/hub-kubeconfig-secret`, { type: 'merge', body });
}
