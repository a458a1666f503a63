import type { SecureContextOptions } from 'node:tls';
import {
  connectKube,
  delegatedAuthorizer,
  healthRoutes,
  metricsRoute,
  type ProcessHost,
  protectRoute,
  type RunningServer,
  runProcess,
  serve,
  serveSecured,
} from '@flotilla/process';
import { hubWebhookRoutes } from '../webhook-routes.ts';
import type { HubProgram } from './hub-program.ts';
import { followCertificate } from './webhook-certificate.ts';
import { enabledWebhooks, webhookOptions } from './webhook-options.ts';

/** API servers close connections that they do not use after 90 s; this end must not be the first. */
const keepAliveMs = 120_000;

/** Serves the webhooks of the hub. Every replica does, without a leader. */
export const runWebhookServer = (host: ProcessHost, { name, version }: Omit<HubProgram, 'drivers'>): Promise<void> =>
  runProcess({
    name: `${name} webhook-server`,
    prefix: 'flotilla',
    version,
    description:
      'Checks ManagedClusters, ManagedClusterSetBindings and ManifestWorks when they are written, and converts add-ons.',
    options: webhookOptions,
    host,
    async main(context) {
      const { options, clock, log, health, metrics } = context;
      await using cleanup = new AsyncDisposableStack();
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      cleanup.defer(() => client.close());
      const reviews = metrics.counter({
        name: 'flotilla_webhook_requests_total',
        help: 'Questions of the API server by webhook and answer.',
        labels: ['path', 'allowed'],
      });
      const answered = (path: string, { allowed }: { allowed: boolean }) =>
        reviews.add({ path, allowed: String(allowed) });
      const { featureGates: gates, manifestLimit } = options;
      const servers = enabledWebhooks(options.webhooks);
      const routes = hubWebhookRoutes({ client, clock, log, gates, manifestLimit, answered, servers });
      const addressOf = (port: number) => ({ host: options.bindAddress, port });
      let server: RunningServer | undefined;
      const check = () => {
        if (!server) throw new Error('there is no certificate to serve with yet');
      };
      health.register({ name: 'webhooks', kind: 'ready', check });
      const { healthProbePort, metricsPort, tlsMinVersion: minVersion, tlsCipherSuites: cipherSuites } = options;
      context.authorizeMetricsWith(client);
      if (healthProbePort > 0) {
        cleanup.use(await serve({ address: addressOf(healthProbePort), routes: healthRoutes(health), log, clock }));
      }
      if (metricsPort > 0) {
        const address = addressOf(metricsPort);
        const routes = [protectRoute(metricsRoute(metrics), address, delegatedAuthorizer({ client, clock }))];
        const tls = { minVersion, cipherSuites };
        cleanup.use(await serveSecured({ address, routes, tls, log, clock, signal: context.signal }));
      }
      const { promise: first, resolve: start } = Promise.withResolvers<SecureContextOptions | undefined>();
      const following = followCertificate(context, client, (tls) => {
        if (server) server.useCertificate(tls);
        else start(tls);
      }).finally(() => start(undefined));
      const tls = await first;
      if (tls) {
        server = cleanup.use(await serve({ address: addressOf(options.port), routes, tls, keepAliveMs, log, clock }));
        log.info('serving webhooks', { url: server.url });
      }
      await following;
      // An API server learns only now that this replica ends, and asks it meanwhile.
      server?.retire();
      if (server && options.shutdownDelayDuration > 0) await clock.sleep(options.shutdownDelayDuration);
    },
  });
