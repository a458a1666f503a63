import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { klusterlets, managedClusters, manifestWorks, ObjectName } from '@flotilla/api-types';
import {
  agentDefinitions,
  agentObjects,
  applyObjects,
  clusterProxyAccess,
  type GrpcBootstrap,
  hubDefinitions,
  hubObjects,
  withOwner,
} from '@flotilla/install';
import { type Clock, type ClusterAccess, type Logger, silentLogger } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';
import type { CliContext } from '../context.ts';
import { acceptCluster } from '../hub/accept.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { createJoinInfo, type JoinInfo } from '../hub/join-info.ts';
import { superviseAgent } from './agent-supervisor.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { admitHubAdministrators, startClusterProxy } from './cluster-proxy.ts';
import { hubDrivers, type UpAuthType } from './drivers.ts';
import { showAddOn } from './example-addon.ts';
import { showPlacement } from './example-placement.ts';
import { exampleWork, tryManifest } from './example-work.ts';
import { type FleetRecord, openFleetRecord } from './fleet-record.ts';
import { type FleetProgress, followProgress } from './follow-progress.ts';
import { grpcPort, startGrpcServer } from './grpc-server.ts';
import { startHub } from './hub.ts';
import { lastStep } from './join-progress.ts';
import { needsWebhooks } from './webhooks.ts';
import { appliedStep, reportedStep } from './work-progress.ts';

/** What `flotilla up` starts. */
export interface FleetOptions {
  readonly directory: string;
  readonly keep: boolean;
  readonly real: boolean;
  /** Clusters that are accepted. */
  readonly clusters: number;
  readonly autoAccept: boolean;
  /** How clusters join. With grpc they only know the gRPC server of the hub. */
  readonly auth: UpAuthType;
  /** Whether to show a work, a placement and an add-on on a new fleet. Default: true. */
  readonly examples?: boolean;
  readonly context: Pick<CliContext, 'clock' | 'connector'>;
  readonly log?: Logger;
  readonly report: (line: string) => void;
}

/** A hub and its clusters, running. */
export interface Fleet extends AsyncDisposable {
  readonly hub: ApiServer;
  readonly managed: readonly ApiServer[];
  /** A cluster that requests to join and is left to the user to accept. */
  readonly waiting?: string;
  /** A file with something that the user can give to a cluster. */
  readonly tryFile: string;
  /** Resolves when all clusters are Available that are to be; rejects if the signal aborts first. */
  ready(signal: AbortSignal): Promise<void>;
}

const hubName = 'hub';

const owned = (object: KubeObject): KubeObject => withOwner(cliOwner, object);

/**
 * The clusters of a fleet. If they are not all accepted by themselves, there is one more, for the user to accept. A hub
 * without clusters is left to those that the user joins.
 */
export const clusterNames = ({ clusters, autoAccept }: { clusters: number; autoAccept?: boolean }): string[] =>
  Array.from({ length: autoAccept || clusters === 0 ? clusters : clusters + 1 }, (_, index) => `cluster${index + 1}`);

/** Starts a hub and managed clusters, each with its agent, all in this process. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { clusters, autoAccept, auth, context, log = silentLogger, report } = options;
  const { clock } = context;
  await using cleanup = new AsyncDisposableStack();
  const all = clusterNames(options);
  const names = all.slice(0, clusters);
  const waiting = all[clusters];

  const hub = await startHubServer(options, cleanup);
  const progress = cleanup.use(await followProgress(hub.client, clock, report));

  const isNew = (await hub.client.resource(managedClusters).list()).items.length === 0;

  const record = await openFleetRecord(options.directory);
  const joinInfo = await createJoinInfo(context, hub);
  const crds = (await agentDefinitions()).map(owned);
  const managed: ApiServer[] = [];
  const unjoined = new Set<string>();
  for (const name of all) {
    const server = cleanup.use(await startApiServer({ ...serverOptions(options), name, crds, simulator: true }));
    managed.push(server);
    const isJoined = await joinServer(server, { ...bootstrapOf(hub, joinInfo, auth), record, clock });
    if (!isJoined) {
      unjoined.add(name);
      report(`${name} was unjoined in an earlier run, and stays so`);
    }
    // Also of one that is not joined: the user may join it again.
    cleanup.use(superviseAgent(server, { clock, log }));
  }
  const tryFile = join(options.directory, 'try.yaml');
  await writeFile(tryFile, tryManifest, { mode: 0o600 });
  const running = cleanup.move();
  return {
    hub,
    managed,
    tryFile,
    ...(waiting !== undefined && { waiting }),
    async ready(signal) {
      const joined = names.filter((name) => !unjoined.has(name));
      await Promise.all(
        joined.map((name) => whenAvailable(name, { hub, progress, record, clock, autoAccept, signal })),
      );
      // In a later run it is the user's: there, changed or deleted.
      if (isNew && clusters > 0 && options.examples !== false) {
        await giveExample(names[0] ?? '', { hub, progress, real: options.real, signal });
        await showPlacement({ client: hub.client, clock, clusters: joined, report, signal });
        await showAddOn({
          client: hub.client,
          clock,
          cluster: names[0] ?? '',
          runsPods: !options.real,
          report,
          signal,
        });
      }
      if (isNew && waiting !== undefined) await progress.reached(waiting, 1, signal);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const serverOptions = ({ directory, keep, real }: FleetOptions) => ({ directory, keep, real });

/** Starts the API server of the hub, the hub, and its gRPC server if clusters join by that. */
async function startHubServer(options: FleetOptions, cleanup: AsyncDisposableStack): Promise<ApiServer> {
  const {
    auth,
    autoAccept,
    context: { clock },
    log = silentLogger,
    report,
  } = options;
  const hub = cleanup.use(
    await startApiServer({
      ...serverOptions(options),
      name: hubName,
      crds: (await hubDefinitions()).filter((definition) => !needsWebhooks(definition)).map(owned),
      simulator: false,
    }),
  );
  const clusterInfo = await publishedAddress(hub.client, hub.access);
  const port = auth === 'grpc' ? await grpcPort(options.directory) : undefined;
  const values = {
    drivers: hubDrivers(auth),
    clusterManager: clusterManagerOf(port),
    grpc: port !== undefined,
    ...(clusterInfo && { clusterInfo }),
  };
  const objects = [...hubObjects(values), ...clusterProxyAccess()];
  await applyObjects(hub.client, objects, { owner: cliOwner, clock });
  cleanup.use(await startHub(hub, { clock, log, autoAccept, auth }));
  report(`hub is up at ${hub.access.server}`);
  cleanup.use(await startClusterProxy(hub, { clock, log }));
  if (port !== undefined) {
    cleanup.use(await startGrpcServer(hub, { port, clock, log }));
    report(`its gRPC server is up at localhost:${port}, and clusters know nothing else of it`);
  }
  return hub;
}

/** The record of the hub. */
const clusterManagerOf = (port: number | undefined) =>
  port === undefined
    ? { registrationDrivers: [{ authType: 'csr' as const }] }
    : {
        registrationDrivers: [{ authType: 'csr' as const }, { authType: 'grpc' as const }],
        grpcServer: { type: 'hostname' as const, host: `localhost:${port}` },
      };

/** How a cluster finds the hub: by its API server, or by its gRPC server and by nothing else. */
function bootstrapOf(hub: ApiServer, joinInfo: JoinInfo, auth: UpAuthType): Bootstrap {
  if (auth === 'csr') return { hub: agentAccess(hub, joinInfo) };
  const { server: url = '', ca = '' } = joinInfo.grpc ?? {};
  return { grpc: { url, caData: Buffer.from(ca).toString('base64'), token: joinInfo.token } };
}

type Bootstrap = { readonly hub: ClusterAccess } | { readonly grpc: GrpcBootstrap };

/** What is in the bootstrap Secret: the hub's address and CA, and the token. */
const agentAccess = ({ access }: ApiServer, { token }: JoinInfo) => ({
  server: access.server,
  ...(access.ca !== undefined && { ca: access.ca }),
  authorization: `Bearer ${token}`,
  origin: hubName,
});

/** Does on a managed cluster what `join` does; false if the user has unjoined it since an earlier run. */
async function joinServer(
  { name, client }: ApiServer,
  { record, clock, ...bootstrap }: Bootstrap & { record: FleetRecord; clock: Clock },
): Promise<boolean> {
  await admitHubAdministrators(client);
  const klusterlet = await client.resource(klusterlets).find(ObjectName.Klusterlet);
  if (!klusterlet && record.stageOf(name) !== undefined) return false;
  const objects = agentObjects({
    clusterName: klusterlet?.spec?.clusterName ?? name,
    mode: 'Singleton',
    featureGates: { ClusterProxy: true },
    ...bootstrap,
    ...('grpc' in bootstrap && { registrationDriver: { authType: 'grpc' } }),
  });
  // The token of an earlier run has expired; how the cluster is joined may be changed by the user.
  const needed = klusterlet ? objects.filter(({ kind }) => kind !== klusterlets.kind) : objects;
  await applyObjects(client, needed, { owner: cliOwner, clock });
  if (record.stageOf(name) === undefined) await record.set(name, 'joined');
  return true;
}

/** Does what the administrator of the hub does: accepts a cluster once it has requested to join, if no earlier run has. */
async function whenAvailable(
  name: string,
  {
    hub,
    progress,
    record,
    clock,
    autoAccept,
    signal,
  }: {
    hub: ApiServer;
    progress: FleetProgress;
    record: FleetRecord;
    clock: Clock;
    autoAccept: boolean;
    signal: AbortSignal;
  },
): Promise<void> {
  if (record.stageOf(name) === 'accepted') {
    // The user may have denied it, or deleted it from the hub.
    const cluster = await hub.client.resource(managedClusters).find(name);
    if (!cluster?.spec?.hubAcceptsClient) return;
  } else {
    await progress.reached(name, 1, signal);
    if (!autoAccept) await acceptCluster({ client: hub.client, clock }, name, { requesters: [], anySender: false });
    await record.set(name, 'accepted');
  }
  await progress.reached(name, lastStep, signal);
}

/** Gives the example work to a cluster, and waits for what comes back: nothing runs pods on a real API server alone. */
async function giveExample(
  cluster: string,
  { hub, progress, real, signal }: { hub: ApiServer; progress: FleetProgress; real: boolean; signal: AbortSignal },
): Promise<void> {
  await hub.client.resource(manifestWorks).create(exampleWork(cluster));
  await progress.workReached(cluster, real ? appliedStep : reportedStep, signal);
}
