import {
  type Clock,
  createInformers,
  type KubeClient,
  KubeError,
  type Logger,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import {
  type ServingCertificateOptions,
  type ServingPair,
  servingCertificateController,
} from '@flotilla/kube/admission';
import type { ListenAddress } from '../serving/listen-address.ts';
import type { Route } from '../serving/route.ts';
import { type RunningServer, serve } from '../serving/serve.ts';

/** What to serve, where, and with whose certificate. */
export interface StartWebhooksOptions extends Omit<ServingCertificateOptions, 'informers' | 'use'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly routes: readonly Route[];
  /** Default: a free port of 127.0.0.1, for an API server of this machine. */
  readonly address?: ListenAddress;
}

/** Webhooks that are served. */
export interface RunningWebhooks extends AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** What callers trust, as configurations and definitions want it: base64 of PEM. Those that name it are kept up to date. */
  readonly caBundle: string;
}

/** Serves webhooks with a certificate that manages itself, for as long as the result is not disposed. Resolves when they are served. */
export async function startWebhooks(options: StartWebhooksOptions): Promise<RunningWebhooks> {
  const { client, clock, log = silentLogger, routes, address = { host: '127.0.0.1', port: 0 } } = options;
  const informers = createInformers({ client, clock, log });
  const end = new AbortController();
  const { promise: first, resolve, reject } = Promise.withResolvers<ServingPair>();
  let server: RunningServer | undefined;
  const use = (pair: ServingPair) => (server ? server.useCertificate(tlsOf(pair)) : resolve(pair));
  const controller = servingCertificateController({ ...options, informers, use });
  const running = runControllers([controller], { signal: end.signal, clock, log });
  running.then(() => reject(new KubeError('Canceled', 'the webhooks were stopped before they started')), reject);
  const stop = async () => {
    end.abort();
    await running.catch(() => {});
    informers.close();
    await server?.close();
  };
  try {
    const pair = await first;
    server = await serve({ address, routes, tls: tlsOf(pair), log, clock });
    const caBundle = Buffer.from(pair.ca).toString('base64');
    return { url: server.url, caBundle, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const tlsOf = ({ certificate: cert, key }: ServingPair) => ({ cert, key, minVersion: 'TLSv1.2' as const });
