import { ClusterProxyApi, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { type Clock, createKubeClient, type KubeClient, type Logger } from '@flotilla/kube';
import { clusterRoleBindings } from '@flotilla/kube/kinds';
import { cliOwner } from '../cluster/owner.ts';
import type { ApiServer } from './api-server.ts';

const namespace = NamespaceName.Hub;
/** The API server is on this machine, and so is the program. */
const host = 'localhost';

/** Serves the APIs of the clusters to users of the hub until disposed, with the rights of the account of that program. */
export async function startClusterProxy(
  { client: admin, access }: ApiServer,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<AsyncDisposable> {
  const [{ runClusterProxy, publishExternally }, { accountAccess }] = await Promise.all([
    import('@flotilla/cluster-proxy/hub'),
    import('@flotilla/hub-runtime/grpc'),
  ]);
  const account = `${namespace}/${ServiceAccountName.ClusterProxy}`;
  const client = createKubeClient({ access: accountAccess({ client: admin, access, account, clock }), clock, log });
  const end = new AbortController();
  const { promise: listening, resolve: onListening } = Promise.withResolvers<number>();
  const running = runClusterProxy({
    client,
    host: '127.0.0.1',
    port: 0,
    identity: ClusterProxyApi.service,
    advertisedHost: '127.0.0.1',
    namespace,
    onListening,
    signal: end.signal,
    clock,
    log,
  });
  const port = await Promise.race([listening, running.then(() => 0)]);
  running.catch((error: unknown) => log.error('the cluster proxy ended', { err: error }));
  await publishExternally(admin, { namespace, host, port });
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
      await client.close();
    },
  };
}

/** Lets administrators of the hub be administrators of a cluster too: both are the user's own. */
export async function admitHubAdministrators(client: KubeClient): Promise<void> {
  const { fieldManager } = cliOwner;
  await client.resource(clusterRoleBindings).apply(
    {
      metadata: { name: 'flotilla-up:hub-administrators' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `${ClusterProxyApi.hubPrefix}system:masters` },
      ],
    },
    { fieldManager, force: true },
  );
}
