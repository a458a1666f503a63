import { join } from 'node:path';
import { startControlPlane } from '@flotilla/control-plane';
import { startCluster } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { Server, ServerKind } from '../registration/servers.ts';

/** A server that knows nothing of Flotilla yet, with the kubeconfig of its administrator. */
export interface BareServer extends Server {
  readonly kubeconfig: string;
}

/** How one is started. */
export interface BareServerOptions {
  /** Reaches Services of type ExternalName, for programs that a test starts on this machine, instead of endpoints. */
  readonly externalServices?: boolean;
}

/** Starts one. It serves anonymous requests as far as RBAC allows, as API servers do by default. */
export async function startBareServer(
  kind: ServerKind,
  name: string,
  directory: string,
  { externalServices = false }: BareServerOptions = {},
): Promise<BareServer> {
  const apiServerFlags = {
    'anonymous-auth': 'true',
    ...(externalServices && { 'enable-aggregator-routing': 'false' }),
  };
  const server =
    kind === 'embedded'
      ? await startControlPlane({ simulator: true })
      : await startCluster({ crds: [], apiServerFlags });
  const kubeconfig = join(directory, `${name}.yaml`);
  await writeKubeconfig(kubeconfig, kubeconfigFor(server.access, { cluster: name, user: 'admin', context: name }));
  return { client: server.client, access: server.access, kubeconfig, [Symbol.asyncDispose]: () => server.stop() };
}
