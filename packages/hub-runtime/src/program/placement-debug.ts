import { createInformers, runControllers } from '@flotilla/kube';
import { createPlacementDebug, withSharedDecisions } from '@flotilla/placement';
import {
  connectKube,
  defineOptions,
  delegatedReview,
  kubeOptions,
  type ProcessHost,
  runProcess,
  serveSecured,
  servingTls,
} from '@flotilla/process';
import { placementDebugRoutes } from '../placement-debug-route.ts';
import type { HubProgram } from './hub-program.ts';
import { terminateOnFiles } from './options.ts';

/** The flags of `flotilla-hub placement-debug`. */
const placementDebugOptions = defineOptions({
  ...kubeOptions,
  bindAddress: {
    type: 'string',
    default: '0.0.0.0',
    group: 'Debugging of placements',
    description: 'Address of the port below.',
  },
  port: {
    type: 'integer',
    default: 9443,
    min: 0,
    max: 65_535,
    group: 'Debugging of placements',
    description:
      'Port of /debug/placements/, HTTPS; on loopback without --tls-cert-file HTTP. Callers need a token whose user may get and post that path, and create placements in the namespace.',
  },
  terminateOnFiles,
});

/** Explains how placements are scheduled, over HTTPS, as OCM's `placement debug` does. Every replica does, without a leader. */
export const runPlacementDebug = (host: ProcessHost, { name, version }: HubProgram): Promise<void> =>
  runProcess({
    name: `${name} placement-debug`,
    prefix: 'flotilla',
    version,
    description: 'Explains how placements are scheduled: what each filter leaves, and each score. Writes nothing.',
    options: placementDebugOptions,
    host,
    async main(context) {
      const { options, clock, log, signal } = context;
      await using cleanup = new AsyncDisposableStack();
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      cleanup.defer(() => client.close());
      context.authorizeMetricsWith(client);
      const metrics = context.kitMetrics('hub');
      const informers = cleanup.use(withSharedDecisions(createInformers({ client, clock, log, metrics })));
      const debug = createPlacementDebug({ client, informers, clock });
      const server = cleanup.use(
        await serveSecured({
          address: { host: options.bindAddress, port: options.port },
          routes: placementDebugRoutes({ debug, review: delegatedReview({ client, clock }) }),
          tls: servingTls(options),
          log,
          clock,
          signal,
        }),
      );
      log.info('serving the debugging of placements', { url: server.url });
      await runControllers(debug.controllers, { signal, clock, log, metrics });
    },
  });
