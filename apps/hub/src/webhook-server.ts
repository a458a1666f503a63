import type { SecureContextOptions } from 'node:tls';
import { WebhookPath } from '@flotilla/api-types';
import { convertObject } from '@flotilla/api-types/conversion';
import { conversionRoute, webhookRoute } from '@flotilla/kube/admission';
import {
  connectKube,
  healthRoutes,
  metricsRoute,
  type ProcessHost,
  type RunningServer,
  runProcess,
  serve,
} from '@flotilla/kube/process';
import { hubWebhooks } from '@flotilla/registration-core/hub';
import { workWebhooks } from '@flotilla/work-manager';
import manifest from '../package.json' with { type: 'json' };
import { followCertificate } from './webhook-certificate.ts';
import { webhookOptions } from './webhook-options.ts';

/** Serves the webhooks of the hub. Every replica does, without a leader. */
export const runWebhookServer = (host: ProcessHost): Promise<void> =>
  runProcess({
    name: 'flotilla-hub webhook-server',
    version: manifest.version,
    description:
      'Checks ManagedClusters, ManagedClusterSetBindings and ManifestWorks when they are written, and converts add-ons.',
    options: webhookOptions,
    host,
    async main(context) {
      const { options, clock, log, health, metrics } = context;
      await using cleanup = new AsyncDisposableStack();
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: 'flotilla-hub' });
      cleanup.defer(() => client.close());
      const reviews = metrics.counter({
        name: 'flotilla_webhook_requests_total',
        help: 'Questions of the API server by webhook and answer.',
        labels: ['path', 'allowed'],
      });
      const answered = (path: string, { allowed }: { allowed: boolean }) =>
        reviews.add({ path, allowed: String(allowed) });
      const { featureGates: gates, manifestLimit } = options;
      const webhooks = [...hubWebhooks({ client, clock, gates }), ...workWebhooks({ client, gates, manifestLimit })];
      const routes = [
        ...webhooks.map((webhook) => webhookRoute(webhook, { log, answered })),
        conversionRoute({ path: WebhookPath.Convert, convert: convertObject, log }),
      ];
      const addressOf = (port: number) => ({ host: options.bindAddress, port });
      let server: RunningServer | undefined;
      const check = () => {
        if (!server) throw new Error('there is no certificate to serve with yet');
      };
      health.register({ name: 'webhooks', kind: 'ready', check });
      for (const [port, served] of [
        [options.healthProbePort, healthRoutes(health)],
        [options.metricsPort, [metricsRoute(metrics)]],
      ] as const) {
        if (port > 0) cleanup.use(await serve({ address: addressOf(port), routes: served, log, clock }));
      }
      const { promise: first, resolve: start } = Promise.withResolvers<SecureContextOptions | undefined>();
      const following = followCertificate(context, client, (tls) => {
        if (server) server.useCertificate(tls);
        else start(tls);
      }).finally(() => start(undefined));
      const tls = await first;
      if (tls) {
        server = cleanup.use(await serve({ address: addressOf(options.port), routes, tls, log, clock }));
        log.info('serving webhooks', { url: server.url });
      }
      await following;
    },
  });
