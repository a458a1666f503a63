import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, tail } from '../registration/program.ts';
import { startServer } from '../registration/servers.ts';
import { clusterName, startWorkWorld, type WorkWorld } from '../work/work-world.ts';

/** Works on real API servers that our agent or OCM's may apply. */
export interface WorkInterop extends WorkWorld {
  startOcmAgent(): Promise<Program>;
}

/** Starts both API servers; no agent runs. */
export async function startWorkInterop(): Promise<WorkInterop> {
  const programs = await ocmPrograms();
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-interop-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const [hub, managed] = await Promise.all([startServer('kube-apiserver'), startServer('kube-apiserver')]);
  const world = cleanup.use(await startWorkWorld(hub, managed));
  const started: Program[] = [];
  cleanup.defer(async () => {
    await Promise.all(started.map((program) => program.end('SIGKILL')));
  });
  const kubeconfig = join(directory, 'managed.yaml');
  await writeKubeconfig(kubeconfig, kubeconfigFor(managed.access));
  const running = cleanup.move();
  return {
    ...world,
    async startOcmAgent() {
      const program = startExecutable(programs.work, [
        'agent',
        `--spoke-cluster-name=${clusterName}`,
        `--kubeconfig=${kubeconfig}`,
        `--workload-source-config=${world.hubKubeconfig}`,
        '--namespace=open-cluster-management-agent',
        '--disable-leader-election',
        `--listen=127.0.0.1:${await findFreePort()}`,
      ]);
      started.push(program);
      return program;
    },
    logs: () => [world.logs(), ...started.map(tail)].join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
