import { FieldManager, LeaderElectionComponent, NamespaceName } from '@flotilla/api-types';
import { klusterletDefinitions } from '@flotilla/install/chart';
import { type AccessSource, createInformers, createKubeClient, runControllers } from '@flotilla/kube';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/process';
import { ownDefinitionController } from '../apply/index.ts';
import type { DefaultImages } from '../klusterlet/config/images.ts';
import { createKlusterletOperator } from '../klusterlet/create-klusterlet-operator.ts';
import { klusterletOptions } from './klusterlet-options.ts';
import type { OperatorProgram } from './run-operator-program.ts';

/** Of managed clusters and hubs: one of them must not fill the memory that all klusterlets need. */
const maxAnswerBytes = 64 * 2 ** 20;

/** The images of agents whose Klusterlet names none. */
const imagesOf = (
  options: Readonly<Record<'agentImage' | 'singletonImage' | 'awsCliImage', string>>,
  version: string,
): DefaultImages => ({
  agent: options.agentImage || `flotilla/agent:v${version}`,
  singleton: options.singletonImage || `flotilla/singleton:v${version}`,
  awsCli: options.awsCliImage,
});

/** Runs the operator of klusterlets while this replica leads. */
export const runKlusterletOperator = (host: ProcessHost, { name, version }: OperatorProgram): Promise<void> =>
  runProcess({
    name: `${name} klusterlet`,
    prefix: 'flotilla',
    version,
    description: 'Install the agents of Klusterlets, keep them as their Klusterlets say, and remove them.',
    options: klusterletOptions,
    host,
    async main(context) {
      const { options, clock, log, kitMetrics } = context;
      const { env } = host;
      const namespace = await componentNamespace(options, { outsidePod: NamespaceName.Operator });
      const client = connectKube(context, { name: 'management', env, fieldManager: FieldManager.Klusterlet });
      context.authorizeMetricsWith(client);
      const connect = (access: AccessSource) =>
        createKubeClient({
          access,
          clock,
          log,
          env,
          maxAnswerBytes,
          fieldManager: FieldManager.Klusterlet,
          userAgent: name,
        });
      const run = async (signal: AbortSignal) => {
        const common = { clock, log, metrics: kitMetrics('management') };
        using informers = createInformers({ client, ...common });
        const operator = createKlusterletOperator({
          client,
          informers,
          connect,
          options: {
            namespace,
            images: imagesOf(options, version),
            replicas: options.deploymentReplicas,
            controlPlaneSelector: options.controlPlaneNodeLabelSelector,
            managesAddOnNamespace: !options.disableDefaultAddonNamespace,
            grantsWorkPayloads: options.grantWorkPayloads,
            syncsLabels: options.enableSyncLabels,
          },
          clock,
          log,
        });
        try {
          const definitions = (await klusterletDefinitions()).map((one) => ownDefinitionController(informers, one));
          await runControllers([...operator.controllers, ...definitions], { signal, ...common });
        } finally {
          await operator.close();
        }
      };
      try {
        await runElected(context, { client, lease: `${namespace}/${LeaderElectionComponent.Klusterlet}-lock`, run });
      } finally {
        await client.close();
      }
    },
  });
