import { type ClusterAccess, KubeError } from '@flotilla/kube';
import { trustsAll } from '@flotilla/registration-core/agent';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import type { EarlierApiServer } from '../hub-access/earlier-reach.ts';
import { checkApiServer } from './hub-checks.ts';
import type { HubReach, ReachInput, ReachOptions } from './hub-reach.ts';
import { readCa, trustedCa } from './hub-trust.ts';
import { explainHubFailure, internalServer } from './preflight.ts';

/** Reaches the API server of the hub, whose certificate is verified before the token is sent. */
export async function reachApiServer({
  context,
  options,
  address: server,
  token,
  check,
  earlier,
}: ReachInput): Promise<HubReach> {
  const anonymous = await check('certificate of the hub', async (): Promise<ClusterAccess> => {
    const ca = await hubCa(context, server, options, { token, earlier: earlier?.hub });
    const { proxyUrl = earlier?.hub?.proxyUrl } = options;
    const access = {
      server,
      ...(ca !== undefined && { ca }),
      origin: '--hub-apiserver',
      ...(proxyUrl && { proxyUrl }),
    };
    await verifyCertificate(context, access).catch((error: unknown) => {
      throw KubeError.is(error, 'Tls') && lacksProxyCa(options, earlier?.hub)
        ? explainProxyCa(error)
        : explainHubFailure(error);
    });
    return access;
  });
  const hub: ClusterAccess = { ...anonymous, authorization: `Bearer ${token}` };
  const connect = () => context.connector.toServer(hub);
  await checkApiServer(context, connect, options.clusterName, check);
  const internal = async () => {
    await using connection = await connect();
    return await internalServer(connection.client);
  };
  const { forceInternalEndpointLookup: isInternal = await usesInternal(internal, server, earlier?.hub) } = options;
  const agentServer = isInternal ? await check('internal address of the hub', internal) : server;
  return { address: server, bootstrap: { hub: { ...hub, server: agentServer } }, connect };
}

/** Whether the agent has used the internal address of this hub until now. */
async function usesInternal(
  internal: () => Promise<string>,
  server: string,
  earlier: EarlierApiServer | undefined,
): Promise<boolean> {
  if (earlier === undefined || earlier.server === server) return false;
  return earlier.server === (await internal().catch(() => undefined));
}

/** Whether the CA verifies the certificate of the hub, which may refuse an anonymous caller. */
async function verifyCertificate(context: CliContext, access: ClusterAccess): Promise<void> {
  await using hub = await context.connector.toServer(access);
  try {
    await hub.client.transport.request({ method: 'GET', path: '/version' });
  } catch (error) {
    if (!KubeError.is(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw error;
  }
}

/** Whether flags replace a stored CA without that of the proxy, which may be part of it. */
const lacksProxyCa = (
  { caFile, hubCaData, proxyUrl, proxyCaFile }: ReachOptions,
  earlier: EarlierApiServer | undefined,
): boolean =>
  (caFile !== undefined || hubCaData !== undefined) &&
  proxyCaFile === undefined &&
  Boolean(earlier?.proxyUrl) &&
  (proxyUrl === undefined || proxyUrl === earlier?.proxyUrl);

const explainProxyCa = (error: KubeError): CliError =>
  new CliError(
    'precondition',
    'the certificate of the hub cannot be verified, so the token was not sent',
    'Check the CA of the hub. It replaces the stored one, which may have contained the CA of the proxy too: give this one with --proxy-ca-file.',
    error,
  );

/** What is known beside the flags when the CA of a hub is looked up. */
interface KnownHub {
  readonly token?: string;
  readonly earlier?: EarlierApiServer | undefined;
}

/** The CA of the hub, and that of a proxy that opens connections. */
export async function hubCa(
  context: CliContext,
  server: string,
  options: ReachOptions,
  { token, earlier }: KnownHub = {},
): Promise<string | undefined> {
  const { caFile, hubCaData: caData, hubCaHash: caHashes = [], proxyCaFile, discovery } = options;
  const { proxyUrl = earlier?.proxyUrl } = options;
  if (proxyCaFile !== undefined && !proxyUrl) {
    throw new CliError('usage', '--proxy-ca-file without --proxy-url', 'Give the address of the proxy too.');
  }
  const givesCa = caFile !== undefined || caData !== undefined;
  const asksHub = caHashes.length > 0 || discovery !== undefined;
  const namedProxyCa = proxyCaFile === undefined ? undefined : await readCa(proxyCaFile, '--proxy-ca-file');
  if (!givesCa && !asksHub && earlier?.server === server) return withProxyCa(earlier.ca, namedProxyCa);
  // The CA of the proxy is in the same bundle as the one of the hub. Hashes are only about the second.
  const bundle = !givesCa && proxyUrl && proxyUrl === earlier?.proxyUrl ? earlier.ca : undefined;
  const proxyCa = namedProxyCa ?? bundle;
  const ca = await trustedCa(context, {
    server,
    caHashes,
    ...(caFile && { caFile }),
    ...(caData && { caData }),
    ...(token !== undefined && { token }),
    ...(discovery && { discovery }),
    ...(proxyUrl && { proxyUrl }),
    ...(proxyCa !== undefined && { proxyCa }),
  });
  return namedProxyCa === undefined && includes(bundle, ca) ? bundle : withProxyCa(ca, namedProxyCa);
}

/** A bundle for a hub behind a proxy. */
function withProxyCa(ca: string | undefined, proxyCa: string | undefined): string | undefined {
  if (proxyCa === undefined || includes(ca, proxyCa)) return ca;
  // A file need not end its last line.
  return [ca ?? '', proxyCa].filter((pem) => pem !== '').join('\n');
}

/** Whether a bundle has all certificates of another. */
function includes(bundle: string | undefined, ca: string | undefined): boolean {
  if (bundle === undefined || ca === undefined) return false;
  const [all, some] = [bundle, ca].map((pem) => Buffer.from(pem).toString('base64'));
  return trustsAll(all ?? '', some ?? '');
}
