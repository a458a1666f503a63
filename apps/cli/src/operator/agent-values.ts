import { randomInt } from 'node:crypto';
import { type Klusterlet, ObjectName } from '@flotilla/api-types';
import {
  type AgentValues,
  bootstrapKubeconfig,
  featureGateModes,
  grpcBootstrapConfig,
  klusterlet,
} from '@flotilla/install';
import {
  type GivenValues,
  type KlusterletChartValues,
  klusterletValuesSchema,
  mergeValues,
} from '@flotilla/install/chart';
import type { ClusterAccess } from '@flotilla/kube';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import type { ImageOptions } from '../options/bundle.ts';
import { type ResourceOptions, resourceRequirement } from '../options/resources.ts';
import { readValues } from '../options/values-file.ts';
import type { DeployMode } from './deploy-mode.ts';
import { credentialValues, imageValues } from './hub-values.ts';

type Values = GivenValues<KlusterletChartValues>;

/** The flags of `join` that become values of the chart. */
export interface AgentValueOptions extends ImageOptions, ResourceOptions {
  readonly enableSyncLabels?: boolean;
  readonly klusterletValuesFile?: string;
}

/** What the chart is rendered for. */
export interface AgentInstallation {
  readonly agent: AgentValues & { readonly mode: DeployMode };
  readonly earlier: Klusterlet | undefined;
  /** The cluster that joins, where its agent runs on another one. */
  readonly hosted?: ClusterAccess;
}

/** The values of the file that a flag names; none without it. */
export const agentFileValues = async ({ klusterletValuesFile: file }: AgentValueOptions): Promise<Values> =>
  file === undefined ? {} : readValues<Values>('--klusterlet-values-file', file, klusterletValuesSchema);

/** The values of the chart that flags give; those of a file win. */
export async function agentValues(options: AgentValueOptions, installation: AgentInstallation): Promise<Values> {
  const fromFile = await agentFileValues(options);
  const { agent, hosted } = installation;
  const byFlags: Values = {
    ...(options.enableSyncLabels && { enableSyncLabels: true }),
    images: { ...(await imageValues(options)).images, ...(await credentialValues(options)) },
    ...(agent.hub && { bootstrapHubKubeConfig: bootstrapKubeconfig(agent.hub) }),
    ...(agent.grpc && { grpcConfig: grpcBootstrapConfig(agent.grpc) }),
    ...(hosted && { externalManagedKubeConfig: formatKubeconfig(kubeconfigFor(hosted, managedNames)) }),
    klusterlet: configurations(options, installation),
  };
  return mergeValues<Values>(byFlags, fromFile);
}

const managedNames = { cluster: 'managed', user: 'admin', context: 'managed' };

function configurations(options: AgentValueOptions, { agent, earlier }: AgentInstallation): Values['klusterlet'] {
  const { externalServerURLs = [], registrationConfiguration = {}, namespace = '' } = klusterlet(agent).spec ?? {};
  const resources = resourceRequirement(options);
  const hosted = agent.mode === 'Hosted' || agent.mode === 'SingletonHosted';
  const name = earlier?.metadata?.name ?? (hosted ? hostedName() : ObjectName.Klusterlet);
  return {
    mode: agent.mode,
    name,
    namespace: earlier?.spec?.namespace ?? (hosted ? `open-cluster-management-${name}` : namespace),
    clusterName: agent.clusterName,
    externalServerURLs,
    registrationConfiguration: withoutDefaults(registrationConfiguration),
    workConfiguration: { featureGates: featureGateModes('spoke-work', agent.featureGates ?? {}) },
    ...(resources && { resourceRequirement: resources }),
  };
}

type Registration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;

/** As OCM writes it: that add-ons register by certificates is not said. */
const withoutDefaults = ({ addOnKubeClientRegistrationDriver: driver, ...rest }: Registration): Registration =>
  driver && driver.authType !== 'csr' ? { ...rest, addOnKubeClientRegistrationDriver: driver } : rest;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

const hostedName = (): string =>
  ObjectName.HostedKlusterlet.of({
    suffix: Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join(''),
  });
