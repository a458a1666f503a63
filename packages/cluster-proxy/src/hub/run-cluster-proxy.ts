import { once } from 'node:events';
import { ClusterProxyApi, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  createInformers,
  type KubeClient,
  type Logger,
  type OwnerReference,
  ownerReferenceTo,
  runControllers,
} from '@flotilla/kube';
import { apiServices, leases } from '@flotilla/kube/kinds';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { defaultLimits, type RequestLimits } from '../limits.ts';
import type { Member } from '../member/member.ts';
import { type ServedApi, serveApi, type TlsLimits } from './api-server.ts';
import { followCertificate, type ServingSource } from './follow-certificate.ts';
import { followTrust } from './follow-trust.ts';
import { Members } from './members.ts';
import { RequestCounter } from './request-counter.ts';
import { tunnelRecordsController } from './tunnel-records.controller.ts';
import { Tunnels } from './tunnels.ts';

/** What a replica of the API runs with. */
export interface RunClusterProxyInput {
  /** The API server of the hub. */
  readonly client: KubeClient;
  /** Where it listens. Port 0: any that is free. */
  readonly host: string;
  readonly port: number;
  /** Which replica this is, and the host at which the others reach it. */
  readonly identity: string;
  readonly advertisedHost: string;
  /** Of the Secret with the certificate of all replicas, and of the Service. */
  readonly namespace: string;
  /** Its certificate. Default: one of its own, in a Secret, which it makes the API server trust. */
  readonly serving?: ServingSource;
  /** The oldest version of TLS, and the ciphers. */
  readonly tls?: TlsLimits;
  /** How long a certificate of its own lives; it is replaced after two thirds. Default 30 days. */
  readonly certificateLifeMs?: number;
  /** Clusters that the hub reaches by itself, without an agent. */
  readonly direct?: (cluster: ManagedCluster) => Member | undefined;
  readonly limits?: Partial<RequestLimits>;
  /** Called when it is served. If that rejects, so does the run. */
  readonly onListening?: (port: number) => void | Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}

/** Serves the API by which clusters are reached, until the signal aborts. Every replica does, without a leader. */
export async function runClusterProxy(input: RunClusterProxyInput): Promise<void> {
  const { client, clock, log, metrics, signal } = input;
  await using cleanup = new AsyncDisposableStack();
  const common = { clock, log, ...(metrics && { metrics }) };
  const informers = cleanup.use(createInformers({ client, ...common }));
  const tunnels = cleanup.adopt(new Tunnels(clock, log), (each) => each.close());
  const clusters = informers.resource(managedClusters);
  const records = informers.resource(leases, { fieldSelector: `metadata.name=${ClusterProxyApi.lease}` });
  const replica = { identity: input.identity, address: '' };
  const serverName = `${ClusterProxyApi.service}.${input.namespace}.svc`;
  const deps = {
    clusters,
    leases: records,
    tunnels,
    replica,
    serverName,
    clock,
    ...(input.direct && { direct: input.direct }),
  };
  const members = cleanup.adopt(new Members(deps), (each) => each.close());

  let api: ServedApi | undefined;
  const trust = await followTrust(informers, signal, (next) => api?.useTrust(next));
  cleanup.defer(() => trust.close());
  const certificate = followCertificate(input, informers, serverName, (pair) => {
    members.useCertificate(pair);
    api?.useCertificate(pair);
  });
  const first = await Promise.race([certificate.first, certificate.running.then(() => undefined)]);
  if (!first) return;
  await Promise.all([clusters.whenSynced({ signal }), records.whenSynced({ signal })]);
  api = await serveApi({
    tunnels,
    members,
    counter: new RequestCounter({ ...defaultLimits, ...input.limits }),
    client,
    clock,
    auditLog: log.child({ audit: 'cluster-proxy' }),
    log,
    host: input.host,
    port: input.port,
    certificate: first,
    trust: trust.current(),
    tls: input.tls ?? {},
  });
  cleanup.defer(() => api?.close());
  replica.address = `${bracketed(input.advertisedHost)}:${api.port}`;
  cleanup.defer(endDenied(clusters, members));
  const recording = runControllers(
    [tunnelRecordsController({ tunnels, leases: records, replica, owner: ownerOf(client), clock })],
    {
      signal,
      ...common,
    },
  );
  log.info('serving the API by which clusters are reached', { address: replica.address });
  await input.onListening?.(api.port);
  await Promise.all([certificate.running, recording, signal.aborted ? undefined : once(signal, 'abort')]);
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The API, by which its records are owned. */
const ownerOf = (client: KubeClient) => async (): Promise<OwnerReference | undefined> => {
  const found = await client.resource(apiServices).find(ClusterProxyApi.apiService);
  return found && ownerReferenceTo(apiServices, found);
};

/** Ends what is under way to a cluster that is denied or being deleted. Returns what ends that. */
function endDenied(clusters: CachedResource<ManagedCluster>, members: Members): () => void {
  const subscription = clusters.changes.subscribe(({ key }) => {
    if (members.refusalOf(key)) members.deny(key);
  });
  return () => subscription.unsubscribe();
}
