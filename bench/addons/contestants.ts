import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { bundleOf, ocmDefinitions, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort, startCluster } from '@flotilla/envtest';
import type { KubeObject } from '@flotilla/schema';

/** An add-on manager and the hub that it runs on. */
export interface Contestant extends AsyncDisposable {
  readonly server: Cluster;
  start(): Promise<Program>;
}

/** As whom the add-on managers talk to their hub. */
export const user = 'addon-manager-under-test';

/** Each on a hub with its own definitions: that of OCM v1.2.1 knows add-ons in v1alpha1 only, and a conversion would cost the other. */
const definitions = {
  ours: async (): Promise<KubeObject[]> => customResourceDefinitions(),
  async ocm(): Promise<KubeObject[]> {
    const theirs = await ocmDefinitions();
    const names = new Set(theirs.map(({ metadata }) => metadata?.name));
    return [...theirs, ...customResourceDefinitions().filter(({ metadata }) => !names.has(metadata?.name))];
  },
};

/** Starts a hub for one of them. */
export async function startContestant(who: 'ours' | 'ocm'): Promise<Contestant> {
  const server = await startCluster({ crds: await definitions[who](), audit: true });
  const { kubeconfigPath } = await server.createUser({ name: user, groups: ['system:masters'] });
  return {
    server,
    async start() {
      const listen = `--listen=127.0.0.1:${await findFreePort()}`;
      const flags = [`--kubeconfig=${kubeconfigPath}`, '--namespace=default', '--disable-leader-election', listen];
      return who === 'ours'
        ? startExecutable(process.execPath, [bundleOf('hub'), 'addon-manager', ...flags])
        : startExecutable((await ocmPrograms()).addon, ['manager', ...flags]);
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
