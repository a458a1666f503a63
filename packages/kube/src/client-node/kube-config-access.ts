import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import { LastGoodAccess } from '../credentials/last-good-access.ts';
import { KubeError } from '../errors/kube-error.ts';

/** client-node keeps tokens of plugins until they expire, so asking it again costs little. */
const defaultRefreshMs = 60_000;

/** How a KubeConfig is used. */
export interface KubeConfigAccessOptions {
  readonly clock?: Clock;
  /** After so long, credentials are read from the KubeConfig again. Default: one minute. */
  readonly refreshMs?: number;
}

/**
 * Access by a KubeConfig of client-node, as the program has loaded or built it, with its authenticators. It is asked for
 * credentials again each minute and after a 401.
 */
export function kubeConfigAccess(
  config: KubeConfig,
  { clock = realClock, refreshMs = defaultRefreshMs }: KubeConfigAccessOptions = {},
): AccessSource {
  const load = async () => ({ ...(await accessOf(config)), expiresAt: clock.now() + refreshMs });
  return new LastGoodAccess({ clock, load });
}

async function accessOf(config: KubeConfig): Promise<ClusterAccess> {
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    throw new KubeError('Config', `the KubeConfig has no cluster for the context "${config.currentContext}"`, {
      hint: 'Call loadFromDefault, or set a current context that names a cluster.',
    });
  }
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, auth, headers = {} } = options;
  const authorization = auth
    ? `Basic ${Buffer.from(auth).toString('base64')}`
    : 'Authorization' in headers && headers.Authorization !== undefined
      ? String(headers.Authorization)
      : undefined;
  return {
    server: cluster.server,
    origin: `the KubeConfig's context ${config.currentContext}`,
    clusterName: cluster.name,
    ...(ca && { ca: String(ca) }),
    ...(cert && key && { clientCertificate: { certificate: String(cert), key: String(key) } }),
    ...(authorization && { authorization }),
    ...(servername && { tlsServerName: servername }),
    ...(cluster.skipTLSVerify && { insecureSkipTlsVerify: true }),
    ...(cluster.proxyUrl && { proxyUrl: cluster.proxyUrl }),
  };
}
