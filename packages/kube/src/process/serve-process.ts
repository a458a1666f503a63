import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { ProcessLogger } from '../log/create-logger.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { debugRoutes } from './debug/debug-routes.ts';
import type { Health } from './health/health.ts';
import { healthRoutes } from './health/health-routes.ts';
import type { processOptions } from './option-groups.ts';
import type { OptionValues } from './options/definition.ts';
import { parseListenAddress } from './serving/listen-address.ts';
import { metricsRoute } from './serving/metrics-route.ts';
import { type RunningServer, serve } from './serving/serve.ts';
import { followServingCertificate, readServingCertificate, type ServingTls } from './serving/serving-certificate.ts';

/** What the endpoints of a process show. */
export interface ServeProcessInput {
  options: OptionValues<typeof processOptions>;
  health: Health;
  metrics: Metrics;
  /** For when the certificate that is served expires. */
  kitMetrics: Pick<KitMetrics, 'certificateExpiry'>;
  log: ProcessLogger;
  clock: Clock;
  /** Ends the re-reading of the certificate. */
  signal: AbortSignal;
}

/** Serves health, metrics and, if asked for, the debug endpoints, as the options say; undefined if they say not to. */
export async function serveProcess(input: ServeProcessInput): Promise<RunningServer | undefined> {
  const { options, health, metrics, log, clock } = input;
  const address = parseListenAddress(options.listen);
  if (!address) return undefined;
  const tls = servingTls(options);
  const certificate = tls && (await readServingCertificate(tls));
  const debug = options.profiling ? debugRoutes({ log, clock, allowRemote: options.profilingAllowRemote }) : [];
  const server = await serve({
    address,
    routes: [...healthRoutes(health), metricsRoute(metrics), ...debug],
    log,
    clock,
    ...(certificate && { tls: certificate }),
  });
  if (tls && certificate) {
    const report = ({ cert }: SecureContextOptions) => {
      const { validToDate } = new X509Certificate(String(cert));
      input.kitMetrics.certificateExpiry({ origin: tls.certFile }, validToDate.getTime() / 1000);
    };
    report(certificate);
    const follow = { tls, current: certificate, clock, log, signal: input.signal };
    void followServingCertificate(follow, (next) => {
      server.useCertificate(next);
      report(next);
    });
  }
  log.info('serving health and metrics', { url: server.url, profiling: options.profiling });
  return server;
}

function servingTls(options: OptionValues<typeof processOptions>): ServingTls | undefined {
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, tlsMinVersion: minVersion } = options;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) {
    const missing = certFile ? 'tls-private-key-file' : 'tls-cert-file';
    throw new KubeError('Config', `--${missing} is missing; a certificate and its key are given together`);
  }
  return { certFile, keyFile, minVersion, cipherSuites: options.tlsCipherSuites };
}
