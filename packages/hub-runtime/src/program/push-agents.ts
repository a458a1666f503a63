import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { featureGateChoices, NamespaceName } from '@flotilla/api-types';
import {
  componentNamespace,
  connectKube,
  defineOptions,
  featureGatesOption,
  kubeOptions,
  type ProcessHost,
  runProcess,
} from '@flotilla/process';
import { defaultHealthTimes, runPushAgents } from '@flotilla/push-agents';
import { bindDriver } from '@flotilla/registration-core/agent';
import { type Driver, driverOptions } from '@flotilla/registration-core/contract';
import type { HubProgram } from './hub-program.ts';

/** The flags of `flotilla-hub push-agents`, and those of the drivers of add-ons. */
const pushAgentsOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...driverOptions(drivers, 'agent'),
    ...kubeOptions,
    namespace: {
      type: 'string',
      group: 'Replicas',
      description: `Namespace of the leases by which replicas divide the clusters. Without it: the one of the service account, or ${NamespaceName.Hub}.`,
    },
    singleReplica: {
      type: 'boolean',
      group: 'Replicas',
      description: 'Run all pushed clusters in this process, without a lease. Not beside another replica.',
    },
    memberHealthcheckPeriod: {
      type: 'duration',
      default: '5s',
      min: '1s',
      group: 'Members',
      description:
        'How often the API server of a member is asked whether it is ready. A watch that breaks is checked at once.',
    },
    memberFailureThreshold: {
      type: 'duration',
      default: '6s',
      min: '0s',
      group: 'Members',
      description:
        'How long a member must fail, or answer again, before Available changes. The first observation counts at once.',
    },
    memberStatusPeriod: {
      type: 'duration',
      default: '1m',
      min: '1s',
      group: 'Members',
      description: 'How often the version of a member is reported at the latest. Nodes and claims are watched.',
    },
    addonKubeclientRegistrationAuth: {
      type: 'string',
      default: '',
      group: 'Members',
      description: `Auth type for add-ons that ask for access to the hub's API: ${drivers.map(({ authType }) => authType).join(', ')}; the first of them if empty.`,
    },
    featureGates: featureGatesOption(featureGateChoices('spoke-registration', 'spoke-work')),
  });

/** Runs the agents of pushed clusters. All replicas work: each for its share of the clusters. */
export const runPushAgentsProgram = (
  host: ProcessHost,
  { name, version, addonDrivers = [] }: HubProgram,
): Promise<void> =>
  runProcess({
    name: `${name} push-agents`,
    prefix: 'flotilla',
    version,
    description:
      'Runs the agents of clusters that the hub reaches itself: reports their status, applies their works, and serves their add-ons.',
    options: pushAgentsOptions(addonDrivers),
    host,
    async main(context) {
      const { options, clock, log, signal } = context;
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      const namespace = await componentNamespace(options, { outsidePod: NamespaceName.Hub });
      const members = context.metrics.gauge({
        name: 'flotilla_push_members',
        help: 'Pushed clusters whose agents run in this replica.',
        labels: [],
      });
      const thresholdMs = options.memberFailureThreshold;
      try {
        await runPushAgents({
          client,
          identity: replicaName(host),
          ...(!options.singleReplica && { namespace }),
          addonDrivers: addonDrivers.map((driver) => bindDriver(driver, { ...options })),
          addonAuth: options.addonKubeclientRegistrationAuth,
          healthTimes: {
            ...defaultHealthTimes,
            periodMs: options.memberHealthcheckPeriod,
            failureMs: thresholdMs,
            successMs: thresholdMs,
          },
          statusPeriodMs: options.memberStatusPeriod,
          work: { featureGates: options.featureGates },
          featureGates: options.featureGates,
          signal,
          clock,
          log,
          metrics: context.kitMetrics('hub'),
          onMembers: (count) => members.set({}, count),
        });
      } finally {
        await client.close();
      }
    },
  });

/** The name of the pod, or of the host, with something that tells two starts apart: a new start must not take the old one for itself. */
const replicaName = ({ env }: ProcessHost): string =>
  `${(env.POD_NAME || hostname())
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 200)}-${randomBytes(4).toString('hex')}`;
