import { type Clock, createInformers, type KubeClient, type Logger, runControllers } from '@flotilla/kube';
import type { KitMetricsFactory, OptionDefinitions, OptionValues } from '@flotilla/kube/process';
import type { Driver } from '@flotilla/registration-core/contract';
import { createHub, parseCleanupList, parseLabels } from '@flotilla/registration-core/hub';
import { createWorkManager } from '@flotilla/work-manager';
import type { controllerOptions } from './options.ts';

/** What the hub runs with; the options of drivers are among `options`. */
export interface RunHubInput {
  readonly client: KubeClient;
  readonly drivers: readonly Driver[];
  readonly options: OptionValues<ReturnType<typeof controllerOptions>>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kitMetrics: KitMetricsFactory;
}

/** Runs the hub's controllers until the signal aborts. */
export async function runHub({ client, drivers, options, signal, clock, log, kitMetrics }: RunHubInput): Promise<void> {
  const metrics = kitMetrics('hub');
  const { featureGates: gates } = options;
  using informers = createInformers({ client, clock, log, metrics });
  const driverOptions: OptionValues<OptionDefinitions> = { ...options };
  const enabled = drivers.filter(({ authType }) => options.enabledRegistrationDrivers.includes(authType));
  const hub = createHub({
    client,
    informers,
    drivers: enabled.map((driver) => driver.hub({ options: driverOptions, client, informers, clock, log, gates })),
    gates,
    clock,
    log,
    options: {
      labels: parseLabels(options.labels),
      cleanup: parseCleanupList(options.gcResourceList, log),
      leaseGraceFactor: options.leaseGraceFactor,
      removalTimeoutMs: options.removalTimeout,
    },
  });
  const works = createWorkManager({ informers, clock, gates });
  await runControllers([...hub.controllers, ...works.controllers], { signal, clock, log, metrics });
  await hub.close();
}
