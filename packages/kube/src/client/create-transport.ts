import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import type { AccessSource } from '../credentials/access.ts';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/logger.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import type { Environment } from './proxy-for.ts';
import { RequestRunner } from './request-runner.ts';
import { defaultRetry, type RetryOptions } from './retry-policy.ts';
import type { Transport } from './transport.ts';
import { Upgrader } from './upgrader.ts';

/** Settings of a transport; only `access` must be given. */
export interface TransportOptions {
  /** Where server, CA and credentials come from. It stays the caller's: closing the transport does not close it. */
  access: AccessSource;
  clock?: Clock;
  log?: Logger;
  metrics?: KitMetrics;
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Default: that of the process. */
  env?: Environment;
  /** PEM of the CA of an https proxy that the environment names. Default: the system's roots. */
  proxyCa?: string;
  /** First word of the User-Agent header, which the API server's audit log shows. */
  userAgent?: string;
  /** For a whole request with its retries, and for the headers of a stream. Default 30 s. */
  deadlineMs?: number;
  /** TCP, proxy and TLS of one connection. Default 10 s. */
  connectTimeoutMs?: number;
  /** Requests under way at once; streams do not count. Default 100. */
  maxInFlight?: number;
  /** Bytes of answers, of all requests under way together; streams do not count. Default 500 MiB, about the longest text of Node. */
  maxAnswerBytes?: number;
  /** Client-side limit of the rate; `critical` requests are exempt. Default: none. */
  rateLimit?: { qps: number; burst: number };
  retry?: Partial<RetryOptions>;
  /** How often an HTTP/2 session is asked for a sign of life, and how long it has for it. Default 10 s each. */
  pingIntervalMs?: number;
  pingTimeoutMs?: number;
  /** Ask for compressed answers to GET. Default: if the server is not on loopback. */
  gzip?: boolean;
  /** For jitter. */
  random?: () => number;
}

/** A transport to the API server that `access` names, over HTTP/2 where the server speaks it. Connects at the first request. */
export function createTransport(options: TransportOptions): Transport {
  const runner = createRunner(options);
  const upgrader = createUpgrader(options);
  return {
    request: (request) => runner.request(request),
    stream: (request) => runner.stream(request),
    upgrade: (request) => upgrader.upgrade(request),
    accessChanged: runner.accessChanged,
    async close() {
      upgrader.close();
      await runner.close();
    },
  };
}

/** Fills in the defaults of what upgrades need. */
export const createUpgrader = (options: TransportOptions): Upgrader =>
  new Upgrader(options.access, {
    clock: options.clock ?? realClock,
    env: options.env ?? process.env,
    proxyCa: options.proxyCa,
    userAgent: options.userAgent ?? 'flotilla',
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
  });

/** Fills in the defaults. */
export function createRunner(options: TransportOptions): RequestRunner {
  return new RequestRunner({
    access: options.access,
    clock: options.clock ?? realClock,
    log: options.log ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
    env: options.env ?? process.env,
    proxyCa: options.proxyCa,
    userAgent: options.userAgent ?? 'flotilla',
    deadlineMs: options.deadlineMs ?? 30_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    maxInFlight: options.maxInFlight ?? 100,
    maxAnswerBytes: options.maxAnswerBytes ?? 500 * 2 ** 20,
    rateLimit: options.rateLimit,
    retry: { ...defaultRetry, ...options.retry },
    pingIntervalMs: options.pingIntervalMs ?? 10_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    gzip: options.gzip,
    random: options.random ?? Math.random,
  });
}
