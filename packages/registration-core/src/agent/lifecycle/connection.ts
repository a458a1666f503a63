import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { managedClusterAddOnVersions } from '@flotilla/api-types/conversion';
import {
  type CachedResource,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
} from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';
import type { Transport } from '@flotilla/kube/transport';
import type { Observable } from 'rxjs';
import type { ConnectionState, HubInfo, StoredCredentials } from '../../contract/index.ts';
import { checkOwnCluster } from '../../kube-hub/index.ts';
import { type AcceptanceWatch, watchAcceptance } from '../connection/acceptance-watch.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import { watchFailures } from '../connection/failures.ts';
import { addressFallback } from '../hub-info/address-fallback.ts';
import { type HubInfoState, hubInfoState } from '../hub-info/hub-info-state.ts';
import { announcedServerKey } from '../state/secret-entries.ts';
import type { AgentContext, PhaseScope } from './context.ts';

/** The hub while the agent works with its stored credentials, and what watches over that connection. Closes itself. */
export interface WatchedConnection extends AsyncDisposable {
  readonly hub: KubeClient;
  readonly informers: Informers;
  /** The ManagedCluster of the agent. */
  readonly clusters: CachedResource<ManagedCluster>;
  /** Without the watch over failures: for requests whose refusal means nothing. */
  readonly unwatched: KubeClient;
  readonly info: HubInfoState;
  /** What the hub says about itself; absent where it has to be read. */
  readonly announcements?: Observable<HubInfo>;
  readonly acceptance: AcceptanceWatch;
  /** Whether the hub accepts the agent now. */
  check(): Promise<ConnectionState>;
  /** Goes on with renewed credentials. */
  renew(stored: StoredCredentials): void;
}

/** Connects to the hub with stored credentials, and reports to the agent when they end or are refused for good. */
export function openWatchedConnection(
  context: AgentContext,
  { bootstrap, endpoint, signal }: PhaseScope,
  initial: StoredCredentials,
): WatchedConnection {
  const { clock, log, random, driver, store, identity, send, session, report } = context;
  const { clusterName } = identity;
  let stored = initial;
  const connection = session.open(endpoint, stored);
  const transport = watchFailures(connection.transport, {
    onRefusal({ code }) {
      watch.refused();
      if (code !== 'Forbidden') return;
      acceptance.refused();
      // The hub knows the agent. Works of a cluster that is being removed are there for it even then.
      session.handOut();
    },
    onUnreachable: () => fallback.unreachable(),
  });
  const clients = openClients(context, transport, signal);
  const { check } = clients;
  const info = hubInfoState({
    endpoint,
    announced: stored[announcedServerKey],
    use: (trusting) => connection.update({ ...trusting, server: fallback.server() }, stored),
    save: (changes) => store.write(changes),
    describe: (place) => driver.describe(place),
    log,
  });
  const fallback = addressFallback({
    server: endpoint.server,
    inUse: connection.server,
    announced: info.announced,
    check,
    use: (server) => connection.update({ ...info.endpoint(), server }, stored),
    clock,
    log,
    signal,
  });
  const reopen = () => session.reopen();
  const acceptance = watchAcceptance({ clusterName, bootstrap, reopen, clock, log, random, signal });
  const onCredentialsFailed = (credentialsFailed: string | undefined) => report({ credentialsFailed });
  const watch = watchConnection({ driver, stored, check, send, onCredentialsFailed, clock, signal });
  return {
    ...clients,
    unwatched: createKubeClient({ transport: connection.transport, clock, log }),
    info,
    ...(connection.announcements && { announcements: connection.announcements }),
    acceptance,
    renew(next) {
      stored = next;
      connection.update({ ...info.endpoint(), server: fallback.server() }, stored);
      watch.renewed(next);
    },
    async [Symbol.asyncDispose]() {
      clients.informers.close();
      await connection.close();
    },
  };
}

/** What asks the hub over a transport that watches for failures. */
function openClients(
  { clock, log, random, driver, identity: { clusterName } }: AgentContext,
  transport: Transport,
  signal: AbortSignal,
): Pick<WatchedConnection, 'hub' | 'informers' | 'clusters' | 'check'> {
  const hub = createKubeClient({ transport, clock, log, fieldManager: 'registration-agent' });
  const client = withOlderVersion(hub, managedClusterAddOnVersions);
  const informers = createInformers({ client, clock, log, random });
  return {
    hub,
    informers,
    clusters: informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` }),
    check: () => driver.checkConnection?.(hub, signal) ?? checkOwnCluster(hub, clusterName, signal),
  };
}
