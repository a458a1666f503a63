import { NamespaceName, SecretName, ServiceAccountName, UserName } from '@flotilla/api-types';
import { runHub } from '@flotilla/hub-runtime';
import type { Clock, Logger } from '@flotilla/kube';
import type { ApiServer } from './api-server.ts';
import { hubDrivers, type UpAuthType } from './drivers.ts';
import { startWebhooksOfHub } from './webhooks.ts';

/** How the hub of the quickstart behaves. */
export interface UpHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Accept every holder of a bootstrap token without an administrator. */
  readonly autoAccept: boolean;
  readonly auth: UpAuthType;
}

const bootstrapUser = UserName.ServiceAccount.of({
  namespace: NamespaceName.Operator,
  name: ServiceAccountName.AgentRegistrationBootstrap,
});

const driverOptions = (autoAccept: boolean) => {
  const users = autoAccept ? [bootstrapUser] : [];
  return {
    autoApprovedCsrUsers: users,
    clusterAutoApprovalUsers: [],
    autoApprovedGrpcUsers: users,
    grpcCaFile: '',
    grpcKeyFile: '',
    grpcSignerSecret: `${NamespaceName.Hub}/${SecretName.Signer}`,
    grpcSigningDuration: 30 * 86_400_000,
    grpcServerUsers: [
      UserName.ServiceAccount.of({ namespace: NamespaceName.Hub, name: ServiceAccountName.GrpcServer }),
    ],
  };
};

/** Runs the webhooks and the controllers of a hub on an API server until disposed. */
export async function startHub(
  server: ApiServer,
  { clock, log, autoAccept, auth }: UpHubOptions,
): Promise<AsyncDisposable> {
  const { client } = server;
  // What can be tried is on, although OCM has it off by default.
  const gates = {
    CleanUpCompletedManifestWork: true,
    ManifestWorkReplicaSet: true,
    ManifestWorkReplicaSetRevisions: true,
    ManagedClusterAutoApproval: autoAccept,
  };
  const webhooks = await startWebhooksOfHub(server, { clock, log, gates });
  const end = new AbortController();
  const running = runHub({
    client,
    drivers: hubDrivers(auth),
    driverOptions: driverOptions(autoAccept),
    ...(auth === 'grpc' && { grpc: { namespace: NamespaceName.Hub, hosts: ['127.0.0.1', 'localhost'] } }),
    gates,
    signal: end.signal,
    clock,
    log,
  });
  running.catch((error: unknown) => log.error('the controllers of the hub ended', { err: error }));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
      await webhooks[Symbol.asyncDispose]();
    },
  };
}
