import { bundleOf, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort } from '@flotilla/envtest';

/** Schedulers that do the same job. */
export interface Contestant {
  readonly name: 'ours' | 'OCM';
  start(...flags: readonly string[]): Promise<Program>;
}

/** Both, on the same hub and with the same rights. */
export async function contestants(hub: Cluster): Promise<{ readonly ours: Contestant; readonly ocm: Contestant }> {
  const { kubeconfigPath } = await hub.createUser({ name: 'placement-under-test', groups: ['system:masters'] });
  const flags = [`--kubeconfig=${kubeconfigPath}`, '--namespace=default', '--disable-leader-election'];
  const listen = async () => `--listen=127.0.0.1:${await findFreePort()}`;
  return {
    ours: {
      name: 'ours',
      start: async (...more) =>
        startExecutable(process.execPath, [bundleOf('hub'), 'placement', ...flags, ...more, await listen()]),
    },
    ocm: {
      name: 'OCM',
      start: async (...more) =>
        startExecutable((await ocmPrograms()).placement, ['controller', ...flags, ...more, await listen()]),
    },
  };
}
