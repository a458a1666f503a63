import { type ClusterAccess, KubeError } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
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
}: ReachInput): Promise<HubReach> {
  const anonymous = await check('certificate of the hub', async (): Promise<ClusterAccess> => {
    const ca = await hubCa(context, server, options, token);
    const access = {
      server,
      ...(ca !== undefined && { ca }),
      origin: '--hub-apiserver',
      ...(options.proxyUrl && { proxyUrl: options.proxyUrl }),
    };
    await verifyCertificate(context, access);
    return access;
  });
  const hub: ClusterAccess = { ...anonymous, authorization: `Bearer ${token}` };
  const connect = () => context.connector.toServer(hub);
  await checkApiServer(context, connect, options.clusterName, check);
  const agentServer = options.forceInternalEndpointLookup
    ? await check('internal address of the hub', async () => {
        await using connection = await connect();
        return await internalServer(connection.client);
      })
    : server;
  return { address: server, bootstrap: { hub: { ...hub, server: agentServer } }, connect };
}

/** Whether the CA verifies the certificate of the hub, which may refuse an anonymous caller. */
async function verifyCertificate(context: CliContext, access: ClusterAccess): Promise<void> {
  await using hub = await context.connector.toServer(access);
  try {
    await hub.client.transport.request({ method: 'GET', path: '/version' });
  } catch (error) {
    if (!KubeError.is(error, 'Unauthorized', 'Forbidden', 'NotFound')) throw explainHubFailure(error);
  }
}

/** The CA of the hub, and that of a proxy that opens connections. */
export async function hubCa(
  context: CliContext,
  server: string,
  options: ReachOptions,
  token?: string,
): Promise<string | undefined> {
  const { caFile, hubCaData: caData, hubCaHash: caHashes = [], proxyCaFile, proxyUrl, discovery } = options;
  if (proxyCaFile !== undefined && proxyUrl === undefined) {
    throw new CliError('usage', '--proxy-ca-file without --proxy-url', 'Give the address of the proxy too.');
  }
  const proxyCa = proxyCaFile === undefined ? undefined : await readCa(proxyCaFile, '--proxy-ca-file');
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
  if (proxyCa === undefined) return ca;
  // A file need not end its last line.
  return [ca ?? '', proxyCa].filter((pem) => pem !== '').join('\n');
}
