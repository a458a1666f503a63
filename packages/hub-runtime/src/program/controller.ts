import {
  LeaderElectionComponent,
  NamespaceName,
  ObjectName,
  RegistrationDriverName,
  ServiceName,
} from '@flotilla/api-types';
import {
  componentNamespace,
  connectKube,
  type OptionValues,
  type ProcessHost,
  runElected,
  runProcess,
} from '@flotilla/process';
import { requireFlags } from '@flotilla/registration-core/contract';
import { parseCleanupList, parseLabels } from '@flotilla/registration-core/hub';
import { fleetMetrics } from '../fleet-metrics/fleet-metrics.ts';
import { runHub } from '../run-hub.ts';
import type { HubProgram } from './hub-program.ts';
import { controllerOptions, enabledComponents, enabledDrivers } from './options.ts';
import { placementGatesOf } from './placement-gates.ts';
import { schedulingMetricsFor } from './scheduling-metrics.ts';

/** Runs the controllers of registration, works, placement and add-ons while this replica leads. */
export const runController = (host: ProcessHost, { name, version, drivers }: HubProgram): Promise<void> =>
  runProcess({
    name: `${name} controller`,
    prefix: 'flotilla',
    version,
    description:
      'Registers clusters: accepts them, approves their certificates, watches them and cleans up after them; rolls works out and collects completed ones; selects clusters for placements; installs add-ons and rolls their configurations out.',
    options: controllerOptions(drivers),
    host,
    async main(context) {
      const { options, clock, log } = context;
      const enabled = enabledDrivers(drivers, options.enabledRegistrationDrivers, log);
      for (const driver of enabled) requireFlags(driver, 'hub', { ...options });
      const components = enabledComponents(options.controllers);
      const placementGates = placementGatesOf(options.placementGates);
      const namespace = await componentNamespace(
        options,
        options.disableLeaderElection ? { outsidePod: NamespaceName.Hub } : {},
      );
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      const schedulingMetrics = schedulingMetricsFor(context.metrics);
      // One program of a hub is enough to count its fleet.
      using _fleet = components.includes('registration')
        ? fleetMetrics(context.metrics, { client, clock, log })
        : undefined;
      const run = (signal: AbortSignal) =>
        runHub({
          client,
          drivers: enabled,
          components,
          placementGates,
          driverOptions: { ...options },
          ...(keepsGrpcCertificates(options) && { grpc: { namespace, hosts: grpcHosts(namespace, options) } }),
          gates: options.featureGates,
          importer: { ...options, namespace, version },
          options: {
            labels: parseLabels(options.labels),
            cleanup: parseCleanupList(options.gcResourceList, log),
            leaseGraceFactor: options.leaseGraceFactor,
            removalTimeoutMs: options.removalTimeout,
            duplicateIdentity: options.duplicateIdentity,
          },
          signal,
          clock,
          log,
          metrics: context.kitMetrics('hub'),
          schedulingMetrics,
        });
      try {
        await runElected(context, {
          client,
          lease: `${namespace}/${LeaderElectionComponent.RegistrationController}-lock`,
          run,
        });
      } finally {
        await client.close();
      }
    },
  });

type Options = OptionValues<ReturnType<typeof controllerOptions>>;

/** Whoever has the authority in a file has an operator or other means to keep certificates. */
const keepsGrpcCertificates = ({ enabledRegistrationDrivers, grpcCaFile }: Options): boolean =>
  enabledRegistrationDrivers.includes(RegistrationDriverName.Grpc) && !grpcCaFile;

const grpcHosts = (namespace: string, { grpcServerHosts }: Options): string[] => [
  `${ServiceName.GrpcServer.of({ clusterManager: ObjectName.ClusterManager })}.${namespace}.svc`,
  ...grpcServerHosts,
];
