import { createAddonManager, withServedVersions } from '@flotilla/addon-manager';
import { ControllerName, type FeatureGateValues, NamespaceName } from '@flotilla/api-types';
import {
  type Clock,
  type Controller,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
  type Logger,
  runControllers,
} from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { createPlacement, type SchedulerGates, type SchedulingMetrics, withSharedDecisions } from '@flotilla/placement';
import type { OptionDefinitions, OptionValues } from '@flotilla/process';
import type { Driver } from '@flotilla/registration-core/contract';
import { createHub, type HubOptions, startDrivers } from '@flotilla/registration-core/hub';
import { createWorkManager } from '@flotilla/work-manager';
import { type GrpcCertificates, grpcCertificatesController } from './grpc/certificates.controller.ts';
import { clusterApiClusters, type ImporterInput, importerController, type RenderOptions } from './importer/index.ts';

/** The parts of a hub, which OCM runs as programs of their own. */
export const hubComponents = ['registration', 'work', 'placement', 'addon'] as const;
/** A part of a hub. */
export type HubComponent = (typeof hubComponents)[number];

/** What a hub runs with. */
export interface RunHubInput {
  /** The API server of the hub. */
  readonly client: KubeClient;
  /** The auth types by which clusters may register. */
  readonly drivers: readonly Driver[];
  /** The parts that run here. Default: all. */
  readonly components?: readonly HubComponent[];
  /** The values of the drivers' own flags. Default: none. */
  readonly driverOptions?: OptionValues<OptionDefinitions>;
  /** Those that differ from OCM's defaults. */
  readonly gates?: FeatureGateValues;
  /** In which the hub runs. Default: OCM's. */
  readonly namespace?: string;
  readonly options?: Partial<HubOptions>;
  /** With the gate ClusterImporter: how klusterlets are installed on clusters of Cluster API. */
  readonly importer?: RenderOptions & Pick<ImporterInput, 'version'>;
  /** Keeps the certificates of gRPC. Absent: another process does, or there is no gRPC. */
  readonly grpc?: GrpcCertificates;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
  readonly schedulingMetrics?: SchedulingMetrics;
  /** What OCM accepts of placements and ignores. Default: so do we. */
  readonly placementGates?: SchedulerGates;
}

/** A part of a hub at work. */
interface RunningComponent {
  readonly controllers: readonly Controller[];
  /** Sends the last Events, and ends what its controllers have started. */
  close?(): Promise<void>;
}

/** Runs all controllers of a hub, those of its drivers included, until the signal aborts. Rejects if they cannot go on. */
export async function runHub({
  drivers,
  driverOptions = {},
  gates = {},
  components = hubComponents,
  ...input
}: RunHubInput): Promise<void> {
  const {
    namespace = NamespaceName.Hub,
    options,
    grpc,
    importer,
    signal,
    clock,
    log,
    metrics,
    schedulingMetrics,
    placementGates,
  } = input;
  const client = withServedVersions(input.client);
  const common = { clock, log, ...(metrics && { metrics }) };
  using informers = withSharedDecisions(createInformers({ client, ...common }));
  const context = { options: driverOptions, client, informers, clock, log, gates, signal };
  const create: Readonly<Record<HubComponent, () => RunningComponent | Promise<RunningComponent>>> = {
    registration: async () =>
      createHub({
        client,
        informers,
        drivers: await startDrivers(drivers, context),
        gates,
        clock,
        log,
        ...(options && { options }),
      }),
    work: () => createWorkManager({ informers, clock, gates }),
    placement: () =>
      createPlacement({ client, informers, clock, log, metrics: schedulingMetrics, gates: placementGates }),
    addon: () =>
      createAddonManager({
        ...{ informers, clock, gates, hubNamespace: namespace },
        templates: { client, namespace, log, ...(metrics && { metrics }) },
      }),
  };
  const running: RunningComponent[] = [];
  try {
    for (const component of components) running.push(await create[component]());
    await runControllers(
      [
        ...running.flatMap(({ controllers }) => controllers),
        ...(grpc ? [grpcCertificatesController(grpc, { informers, clock })] : []),
        ...(importer && gates.ClusterImporter ? [await startImporter({ ...input, importer }, informers)] : []),
      ],
      { signal, ...common },
    );
  } finally {
    await Promise.all(running.map((component) => component.close?.()));
  }
}

/** A cluster that is imported is not the hub's own: what it answers must not fill the memory of all controllers. */
const maxAnswerBytes = 64 * 2 ** 20;

async function startImporter(
  {
    client,
    clock,
    log,
    importer,
  }: Pick<RunHubInput, 'client' | 'clock' | 'log'> & Required<Pick<RunHubInput, 'importer'>>,
  informers: Informers,
): Promise<Controller> {
  return importerController({
    client,
    informers,
    connect: (access) =>
      createKubeClient({ access, clock, log, maxAnswerBytes, fieldManager: ControllerName.Importer }),
    clusterApi: clusterApiClusters(await client.mapper.all()),
    options: importer,
    version: importer.version,
    clock,
  });
}
