import { type Clock, createKubeClient, defaultAccess, staticAccess } from '@flotilla/kube';
import type { CliContext, Connector } from '../context.ts';
import { cliOwner } from './owner.ts';

const { fieldManager } = cliOwner;

/** Connects over the network: `--kubeconfig`, KUBECONFIG, ~/.kube/config, then the service account of a pod. */
export function networkConnector({ env, clock }: { env: CliContext['env']; clock: Clock }): Connector {
  const settings = { clock, env, fieldManager, userAgent: fieldManager };
  return {
    async toCluster({ kubeconfig, context }) {
      const source = defaultAccess({ env, clock, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
      try {
        const access = await source.current();
        const client = createKubeClient({ access: source, ...settings });
        return {
          client,
          access,
          async [Symbol.asyncDispose]() {
            await client.close();
            source.close();
          },
        };
      } catch (error) {
        source.close();
        throw error;
      }
    },
    async toServer(access) {
      const client = createKubeClient({ access: staticAccess(access), ...settings });
      return { client, access, [Symbol.asyncDispose]: () => client.close() };
    },
  };
}
