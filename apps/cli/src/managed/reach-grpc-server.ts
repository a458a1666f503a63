import { isIP } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { ConfigMapName, DataKey, NamespaceName } from '@flotilla/api-types';
import { createCloudEventsClient, createHubTransport } from '@flotilla/cloudevents';
import { type ClusterAccess, createKubeClient, KubeError, staticAccess } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { checkPins, pinnedCertificates } from '../hub-access/ca-pin.ts';
import type { EarlierReach } from '../hub-access/earlier-reach.ts';
import type { HubReach, ReachInput, ReachOptions } from './hub-reach.ts';
import { readCa } from './hub-trust.ts';
import { checkServer } from './preflight.ts';
import { hubCa } from './reach-api-server.ts';

/** Reaches the gRPC server of the hub, and nothing else of it. The token is sent only to a server whose certificate was verified. */
export async function reachGrpcServer({
  context,
  options,
  address: url,
  token,
  check,
  earlier,
}: ReachInput): Promise<HubReach> {
  const hub = await apiServerOf(context, options, { token, earlier });
  const ca = await check('certificate of the gRPC server', async () => {
    const trusted = await grpcCa(context, url, options, { hub, earlier });
    await shownChain(url, { rejectUnauthorized: true, ...(trusted !== undefined && { ca: trusted }) });
    return trusted;
  });
  const access: ClusterAccess = {
    server: `https://${url}`,
    authorization: `Bearer ${token}`,
    origin: '--grpc-server',
    ...(ca !== undefined && { ca }),
  };
  return {
    address: url,
    bootstrap: {
      ...(hub && { hub }),
      grpc: { url, token, ...(ca !== undefined && { caData: Buffer.from(ca).toString('base64') }) },
    },
    async connect() {
      const events = createCloudEventsClient({ access: staticAccess(access), clock: context.clock });
      const transport = createHubTransport({ client: events, clusterName: options.clusterName, clock: context.clock });
      const client = createKubeClient({ transport, clock: context.clock });
      return { client, [Symbol.asyncDispose]: () => client.close() };
    },
  };
}

/** What agents of OCM want beside it, if the user knows it. Nothing is sent there. */
async function apiServerOf(
  context: CliContext,
  options: ReachOptions,
  { token, earlier }: Pick<ReachInput, 'token' | 'earlier'>,
): Promise<ClusterAccess | undefined> {
  const access = { authorization: `Bearer ${token}`, origin: '--hub-apiserver' };
  const before = earlier?.grpc && earlier.hub;
  if (options.hubApiserver === undefined) return before && { ...before, ...access };
  const server = checkServer(options.hubApiserver);
  if (!options.caFile && !options.hubCaData) return { ...(before?.server === server && before), server, ...access };
  const ca = await hubCa(context, server, options);
  return { server, ...access, ...(ca !== undefined && { ca }) };
}

/** The CA to verify the gRPC server with: from a file, from the server itself and checked by its hash, or published by the hub. */
async function grpcCa(
  context: CliContext,
  url: string,
  options: ReachOptions,
  { hub, earlier }: { hub: ClusterAccess | undefined; earlier: EarlierReach | undefined },
): Promise<string | undefined> {
  const { grpcCaFile, grpcCaHash: pins = [] } = options;
  const pinFlag = options.discovery?.pinFlag ?? '--grpc-ca-hash';
  const newCommand = options.discovery
    ? 'flotilla token create --print-register-command --registration-auth grpc'
    : 'flotilla get token';
  checkPins(pins, pinFlag);
  const given = grpcCaFile === undefined ? undefined : await readCa(grpcCaFile, '--grpc-ca-file');
  const before = earlier?.grpc?.url === url ? earlier.grpc.ca : undefined;
  if (pins.length === 0) return given ?? (await unpinnedCa(context, options, { hub, before }));
  const pinned = pinnedCertificates(given ?? (await shownChain(url, { rejectUnauthorized: false })), pins);
  if (pinned !== undefined) return pinned;
  throw new CliError(
    'precondition',
    `the CA of ${url} is not the one that the join command names (${pinFlag}), so the token was not sent`,
    `The connection may be intercepted, the CA changed, or this is the hash of the API server: get a new command with \`${newCommand}\` on the hub.`,
  );
}

/** A named API server publishes the CA of today, the stored one may be older. Where it cannot be read, the stored one has to do. */
async function unpinnedCa(
  context: CliContext,
  options: ReachOptions,
  { hub, before }: { hub: ClusterAccess | undefined; before: string | undefined },
): Promise<string | undefined> {
  if (!hub || (before !== undefined && options.hubApiserver === undefined)) return before;
  return publishedCa(context, options, hub).catch((error: unknown) => {
    if (before === undefined) throw error;
    return before;
  });
}

/** As OCM's command line does, for a cluster that can reach the API server: the hub publishes the CA to new clusters. */
async function publishedCa(context: CliContext, options: ReachOptions, hub: ClusterAccess): Promise<string> {
  const ca = await hubCa(context, hub.server, options);
  await using connection = await context.connector.toServer({ ...hub, ...(ca !== undefined && { ca }) });
  const key = `${NamespaceName.Hub}/${ConfigMapName.CaBundle}`;
  const bundle = (await connection.client.resource(configMaps).find(key))?.data?.[DataKey.CaBundle];
  if (bundle) return bundle;
  throw new CliError(
    'precondition',
    `ConfigMap ${key} of the hub is missing or has empty key '${DataKey.CaBundle}'`,
    'Start the hub, which makes it, or give the CA by --grpc-ca-file.',
  );
}

/** The certificates that a server shows, PEM. Nothing secret is sent, so that it does not matter who answers. */
function shownChain(url: string, trust: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized'>): Promise<string> {
  const { hostname, port } = new URL(`https://${url}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      {
        host,
        port: Number(port || 443),
        // TLS has names of hosts and no addresses there.
        ...(isIP(host) === 0 && { servername: host }),
        ...trust,
        ALPNProtocols: ['h2'],
      },
      () => {
        resolve(chainOf(socket.getPeerCertificate(true)).join(''));
        socket.destroy();
      },
    );
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
    socket.on('error', (cause) => reject(explainTls(url, cause)));
  });
}

function explainTls(url: string, cause: Error): CliError {
  const isUntrusted = KubeError.from(cause).code === 'Tls';
  return new CliError(
    'precondition',
    isUntrusted
      ? `the certificate of the gRPC server ${url} cannot be verified, so the token was not sent: ${cause.message}`
      : `the gRPC server ${url} cannot be reached: ${cause.message}`,
    isUntrusted
      ? 'Give the CA of the gRPC server by --grpc-ca-file or its hash by --grpc-ca-hash, and an address that is in its certificate.'
      : 'Check the address, and that what is in front of it passes TLS through.',
    cause,
  );
}

function chainOf(leaf: DetailedPeerCertificate): string[] {
  const pems: string[] = [];
  const seen = new Set<string>();
  for (let each: DetailedPeerCertificate | undefined = leaf; each?.raw; each = each.issuerCertificate) {
    if (seen.has(each.fingerprint256)) break;
    seen.add(each.fingerprint256);
    const body = each.raw.toString('base64').replace(/(.{64})/g, '$1\n');
    pems.push(`-----BEGIN CERTIFICATE-----\n${body.trimEnd()}\n-----END CERTIFICATE-----\n`);
  }
  return pems;
}
