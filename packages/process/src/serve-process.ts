import { type Clock, KubeError } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { debugRoutes } from './debug/debug-routes.ts';
import type { Health } from './health/health.ts';
import { healthRoutes } from './health/health-routes.ts';
import type { ProcessLogger } from './log/create-logger.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { processOptions } from './option-groups.ts';
import type { OptionValues } from './options/definition.ts';
import { type Authorizer, protectRoute } from './serving/delegated-authorizer.ts';
import { parseListenAddress } from './serving/listen-address.ts';
import { metricsRoute } from './serving/metrics-route.ts';
import type { Route } from './serving/route.ts';
import type { RunningServer } from './serving/serve.ts';
import { serveSecured } from './serving/serve-secured.ts';
import type { ServingTls, TlsSettings } from './serving/serving-certificate.ts';

/** What the endpoints of a process show. */
export interface ServeProcessInput {
  options: OptionValues<typeof processOptions>;
  health: Health;
  metrics: Metrics;
  /** For when the certificate that is served expires. */
  kitMetrics: Pick<KitMetrics, 'certificateExpiry'>;
  log: ProcessLogger;
  clock: Clock;
  /** Who may read the metrics from another host. */
  authorize: Authorizer;
  /** Ends the watch of the certificate. */
  signal: AbortSignal;
}

/**
 * Serves health, metrics and, if asked for, the debug endpoints, as the options say; undefined if they say not to. Whoever
 * reaches the server may ask for health, because the kubelet has no token; the other endpoints are for callers of this host or
 * for authorized ones.
 */
export async function serveProcess(input: ServeProcessInput): Promise<RunningServer | undefined> {
  const { options, health, metrics, kitMetrics, log, clock, authorize, signal } = input;
  const address = parseListenAddress(options.listen);
  if (!address) return undefined;
  const { profiling, profilingAllowRemote: allowRemote } = options;
  const protect = (route: Route) => protectRoute(route, address, authorize);
  const debug = profiling ? debugRoutes({ log, clock, allowRemote }) : [];
  const routes = [
    ...healthRoutes(health),
    protect(metricsRoute(metrics)),
    // Without remote callers these are for this host only.
    ...(allowRemote ? debug.map(protect) : debug),
  ];
  const server = await serveSecured({ address, routes, tls: servingTls(options), kitMetrics, log, clock, signal });
  log.info('serving health and metrics', { url: server.url, profiling });
  return server;
}

/** The certificate that the flags name, or settings alone. Throws a KubeError `Config` for half a pair. */
export function servingTls(
  options: Pick<
    OptionValues<typeof processOptions>,
    'tlsCertFile' | 'tlsPrivateKeyFile' | 'tlsMinVersion' | 'tlsCipherSuites'
  >,
): ServingTls | TlsSettings {
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, tlsMinVersion: minVersion } = options;
  const settings = { minVersion, cipherSuites: options.tlsCipherSuites };
  if (!certFile && !keyFile) return settings;
  if (!certFile || !keyFile) {
    const missing = certFile ? 'tls-private-key-file' : 'tls-cert-file';
    throw new KubeError('Config', `--${missing} is missing; a certificate and its key are given together`);
  }
  return { certFile, keyFile, ...settings };
}
