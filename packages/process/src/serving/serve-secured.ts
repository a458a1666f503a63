import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { realClock, silentLogger } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { isLoopback } from '@flotilla/kube/transport';
import { followSelfSigned, makeSelfSigned } from './self-signed.ts';
import { type RunningServer, type ServeOptions, serve } from './serve.ts';
import {
  followServingCertificate,
  readServingCertificate,
  type ServingTls,
  type TlsSettings,
} from './serving-certificate.ts';

/** What to serve, where, and with which certificate. */
export interface ServeSecuredOptions extends Omit<ServeOptions, 'tls'> {
  /** With files, or with settings alone for a certificate that the process makes for itself. */
  readonly tls: ServingTls | TlsSettings;
  /** For when the certificate that is served expires. */
  readonly kitMetrics?: Pick<KitMetrics, 'certificateExpiry'>;
  /** Ends the following of the certificate. */
  readonly signal: AbortSignal;
}

/** Where the certificate comes from that the process made for itself, in logs and metrics. */
const selfSigned = 'self-signed';

/**
 * As `serve`, over HTTPS: with the certificate of the files, else with one that the process makes for itself. Without files,
 * an address that only this host can reach is served over HTTP.
 */
export async function serveSecured(options: ServeSecuredOptions): Promise<RunningServer> {
  const { address, routes, tls, clock = realClock, log = silentLogger, signal, kitMetrics } = options;
  const files = 'certFile' in tls ? tls : undefined;
  if (!files && isLoopback(address.host)) return serve({ address, routes, clock, log });
  const current = files ? await readServingCertificate(files) : await makeSelfSigned(tls, clock);
  const server = await serve({ address, routes, clock, log, tls: current });
  const report = ({ cert }: SecureContextOptions) => {
    const { validToDate } = new X509Certificate(String(cert));
    kitMetrics?.certificateExpiry({ origin: files?.certFile ?? selfSigned }, validToDate.getTime() / 1000);
  };
  report(current);
  const use = (next: SecureContextOptions) => {
    server.useCertificate(next);
    report(next);
  };
  const following = { clock, log, signal };
  if (files) void followServingCertificate({ ...following, tls: files, current }, use);
  else void followSelfSigned({ ...following, settings: tls }, use);
  return server;
}
