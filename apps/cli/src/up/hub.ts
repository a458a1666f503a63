import { NamespaceName, ServiceAccountName, UserName } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { type Clock, createInformers, type Logger, runControllers } from '@flotilla/kube';
import { createHub, resolveGates } from '@flotilla/registration-core/hub';
import { createWorkManager } from '@flotilla/work-manager';
import type { ApiServer } from './api-server.ts';
import { startHubWebhooks } from './webhooks.ts';

/** How the hub of the quickstart behaves. */
export interface UpHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Whoever has a bootstrap token gets in without an administrator. */
  readonly autoAccept: boolean;
}

const bootstrapUser = UserName.ServiceAccount.of({
  namespace: NamespaceName.Operator,
  name: ServiceAccountName.AgentRegistrationBootstrap,
});

/** Runs the hub's webhooks and controllers on an API server until disposed. */
export async function startHub(server: ApiServer, { clock, log, autoAccept }: UpHubOptions): Promise<AsyncDisposable> {
  const { client } = server;
  const gates = resolveGates(autoAccept ? { ManagedClusterAutoApproval: true } : {});
  const webhooks = await startHubWebhooks(server, { clock, log, gates });
  const informers = createInformers({ client, clock, log });
  const options = { autoApprovedCsrUsers: autoAccept ? [bootstrapUser] : [], clusterAutoApprovalUsers: [] };
  const drivers = [csrDriver.hub({ options, client, informers, clock, log, gates })];
  const hub = createHub({ client, informers, drivers, gates, clock, log });
  // A time to live that nobody minds would be a riddle to who tries it.
  const works = createWorkManager({ informers, clock, gates: { CleanUpCompletedManifestWork: true } });
  const end = new AbortController();
  const running = runControllers([...hub.controllers, ...works.controllers], { signal: end.signal, clock, log });
  running.catch((error: unknown) => log.error('the controllers of the hub ended', { err: error }));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
      await hub.close();
      informers.close();
      await webhooks[Symbol.asyncDispose]();
    },
  };
}
