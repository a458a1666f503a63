import { writeFile } from 'node:fs/promises';
import { klusterlets, managedClusters, ObjectName } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import { applyObjects, missingDefinitions } from '../apply.ts';
import { checkClusterName } from '../cluster-name.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { checkFeatureGates } from '../feature-gates.ts';
import { agentObjects, type Membership, managedClusterDefinitions } from '../managed/agent-objects.ts';
import { readToken, type TokenSource } from '../managed/hub-token.ts';
import { readCa, trustedCa } from '../managed/hub-trust.ts';
import {
  checkHub,
  checkNameIsFree,
  checkNotJoined,
  checkRights,
  checkServer,
  checkToken,
  externalServer,
  internalServer,
  startPreflight,
} from '../managed/preflight.ts';
import { withoutNamespaces } from '../namespaces.ts';
import { formatManifests, formatValue, isMachineFormat } from '../output/format.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import { waitFor } from '../waiting.ts';

/** The flags of `join`. */
export interface JoinOptions extends TokenSource {
  readonly hubApiserver: string;
  readonly hubCaHash?: readonly string[];
  readonly hubCaData?: string;
  readonly caFile?: string;
  readonly clusterName: string;
  readonly forceInternalEndpointLookup?: boolean;
  readonly proxyUrl?: string;
  readonly proxyCaFile?: string;
  readonly klusterletAnnotation?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly createNamespace: boolean;
  readonly singleton?: boolean;
  readonly clientCertExpirationSeconds?: number;
  readonly wait?: boolean;
  readonly run?: boolean;
  readonly output: string;
  readonly outputFile?: string;
}

/** Prepares a cluster for its agent, which then asks the hub to take it in. */
export async function join(context: CliContext, options: JoinOptions & GlobalOptions): Promise<void> {
  const { clusterName } = options;
  if (options.run && options.wait) {
    throw new CliError('usage', '--run and --wait exclude each other', '--run waits by itself, until Ctrl-C.');
  }
  using progress = startProgress(context);
  await using managed = await context.connector.toCluster(options);
  const { hub, membership } = await preflight(context, options, { managed, progress });

  const definitions = await missingDefinitions(managed.client, await managedClusterDefinitions());
  const objects = agentObjects(membership);
  const manifests = [
    ...definitions,
    ...(options.createNamespace ? objects : await withoutNamespaces(managed.client, objects)),
  ];
  const printed = formatManifests(manifests.map(withoutSecrets));
  if (options.outputFile) await writeFile(options.outputFile, printed, { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(printed);
    return;
  }
  progress.update('Installing what the agent needs');
  await applyObjects(managed.client, manifests, context.clock);
  progress.done(`Cluster ${clusterName} is ready for its agent.`);
  const accept = `${context.program} accept --clusters ${clusterName}`;
  const advice = `Please log onto the hub cluster and run the following command:\n\n    ${accept}\n`;
  if (options.run) {
    progress.done(advice);
    await runHere(context, managed, clusterName, progress);
    return;
  }
  if (options.wait) await registered(context, hub, options, progress);
  context.out.write(
    isMachineFormat(options.output)
      ? formatValue({ cluster: clusterName, hub: hub.server, accept }, options.output)
      : `${advice}\nThis is not needed when the ManagedClusterAutoApproval feature is enabled.\n`,
  );
}

/** Looks at everything that can be known before something is changed. Answers how to reach the hub, and what to install. */
async function preflight(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  { managed, progress }: { managed: Connection; progress: Progress },
): Promise<{ hub: ClusterAccess; membership: Membership }> {
  const check = startPreflight(progress);
  const clusterName = await check('cluster name', () => checkClusterName(options.clusterName));
  const server = await check('address of the hub', () => checkServer(options.hubApiserver));
  const featureGates = await check('feature gates', () =>
    checkFeatureGates('spoke-registration', options.featureGates),
  );
  const token = await check('token', async () => checkToken(await readToken(context, options), context.clock.now()));
  await check('rights on this cluster', () => checkRights(managed.client, options));
  await check('this cluster', () => checkNotJoined(managed.client, clusterName));
  const ca = await check('certificate of the hub', () => hubCa(context, server, options));
  const hub: ClusterAccess = {
    server,
    ...(ca !== undefined && { ca }),
    authorization: `Bearer ${token}`,
    origin: '--hub-apiserver',
    ...(options.proxyUrl && { proxyUrl: options.proxyUrl }),
  };
  await using connection = await context.connector.toServer(hub);
  await check('hub', () => checkHub(connection.client));
  await check('name on the hub', () => checkNameIsFree(connection.client, clusterName, managed.client));
  const agentServer = options.forceInternalEndpointLookup
    ? await check('internal address of the hub', () => internalServer(connection.client))
    : server;
  const external = await externalServer(managed.client);
  const { clientCertExpirationSeconds, klusterletAnnotation: annotations } = options;
  return {
    hub,
    membership: {
      clusterName,
      hub: { ...hub, server: agentServer },
      mode: options.singleton ? 'Singleton' : 'Default',
      featureGates,
      ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
      ...(annotations && { annotations }),
      ...(external && { external }),
    },
  };
}

/** The CA of the hub, and that of a proxy that opens connections. */
async function hubCa(context: CliContext, server: string, options: JoinOptions): Promise<string | undefined> {
  const { caFile, hubCaData: caData, hubCaHash: caHashes = [], proxyCaFile, proxyUrl } = options;
  const ca = await trustedCa(context, {
    server,
    caHashes,
    ...(caFile && { caFile }),
    ...(caData && { caData }),
    ...(proxyUrl && { proxyUrl }),
  });
  if (proxyCaFile === undefined) return ca;
  if (proxyUrl === undefined) {
    throw new CliError('usage', '--proxy-ca-file without --proxy-url', 'Give the address of the proxy too.');
  }
  // A file need not end its last line.
  return [ca ?? '', await readCa(proxyCaFile, '--proxy-ca-file')].filter((pem) => pem !== '').join('\n');
}

const phrases = {
  starting: 'starts',
  bootstrapping: 'asks the hub to take this cluster in, and waits for an administrator there',
  joining: 'has its identity and joins',
  running: 'is in: the hub takes its reports',
  stopped: 'has ended',
};

/** Runs the agent until Ctrl-C, with what it has to say. */
async function runHere(
  context: CliContext,
  managed: Connection,
  clusterName: string,
  progress: Progress,
): Promise<void> {
  const { runAgent } = await import('../managed/run-agent.ts');
  const { progressLogger } = await import('../output/progress-logger.ts');
  const { whileJoinedHere } = await import('../managed/while-joined-here.ts');
  const { clock } = context;
  const log = progressLogger(progress);
  const klusterlet = await managed.client.resource(klusterlets).get(ObjectName.Klusterlet);
  const onPhase = (phase: keyof typeof phrases) => progress.done(`The agent of ${clusterName} ${phrases[phase]}.`);
  using joined = whileJoinedHere(managed.client, clock);
  const signal = AbortSignal.any([context.signal, joined.signal]);
  await runAgent({ managed: managed.client, klusterlet, clock, signal, log, onPhase });
  if (joined.signal.aborted) progress.done(`Cluster ${clusterName} was taken out of the hub.`);
}

/** Waits until the hub knows the cluster: its agent runs. */
async function registered(
  context: CliContext,
  hub: ClusterAccess,
  { clusterName, timeout }: JoinOptions & GlobalOptions,
  progress: Progress,
): Promise<void> {
  await using connection = await context.connector.toServer(hub);
  await waitFor(
    context,
    {
      goal: 'the agent to register the cluster',
      hint: `Is an agent running? Start one here: \`${context.program} join … --run\`.`,
      timeoutMs: timeout * 1000,
      progress,
    },
    async () =>
      (await connection.client.resource(managedClusters).find(clusterName))
        ? { found: true }
        : { pending: 'the hub does not know it yet' },
  );
}
