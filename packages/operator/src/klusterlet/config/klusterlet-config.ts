import { KeyPrefix, type Klusterlet, RegistrationDriverName } from '@flotilla/api-types';
import { type AwsAgent, awsAgent } from './aws-roles.ts';
import { type ComponentGates, componentGates } from './feature-gates.ts';
import { type DefaultImages, defaultAwsCliImage } from './images.ts';
import { agentNamespace, isHosted, isSingleton, type KlusterletMode, klusterletNamespace, modeOf } from './mode.ts';

type Spec = NonNullable<Klusterlet['spec']>;

/** What the operator knows besides the Klusterlet. */
export interface ConfigFacts {
  /** That the agents registered under, for a Klusterlet that names no cluster. */
  readonly storedClusterName?: string | undefined;
  /** Of the agents that are not hosted. */
  readonly replicas: number;
  /** Whether the work agent has credentials to run with. */
  readonly hasHubSecret: boolean;
  /** Whether agents of another mode still run: until those of this mode do, they keep their rights. */
  readonly isSwitching: boolean;
  readonly images: DefaultImages;
  readonly operatorNamespace: string;
  /** Of the operator: false for a cluster whose namespace for add-ons somebody else keeps. */
  readonly managesAddOnNamespace: boolean;
  /** Of the operator: false where users grant by themselves what works may contain. */
  readonly grantsWorkPayloads: boolean;
}

/** What agents are rendered from: a Klusterlet with its defaults filled in. */
export interface KlusterletConfig
  extends Pick<
    ConfigFacts,
    'hasHubSecret' | 'isSwitching' | 'operatorNamespace' | 'managesAddOnNamespace' | 'grantsWorkPayloads'
  > {
  readonly name: string;
  readonly uid: string;
  readonly spec: Spec;
  readonly mode: KlusterletMode;
  readonly isHosted: boolean;
  readonly isSingleton: boolean;
  /** On the managed cluster. */
  readonly klusterletNamespace: string;
  /** Where the agents run. */
  readonly agentNamespace: string;
  /** Empty while it is not known. */
  readonly clusterName: string;
  readonly replicas: number;
  readonly images: {
    readonly registration: string;
    readonly work: string;
    readonly singleton: string;
    readonly awsCli: string;
  };
  readonly registrationGates: ComponentGates;
  readonly workGates: ComponentGates;
  /** Names of the Secrets by which agents may register; the preferred one first. Empty: the one bootstrap Secret. */
  readonly hubSecrets: readonly string[];
  readonly authType: string;
  /** Why the agents do not use the driver of the spec yet. */
  readonly driverProblem?: string;
  readonly aws?: AwsAgent;
  /** Of the ManagedCluster, with the prefix that the hub permits to agents. */
  readonly clusterAnnotations: readonly (readonly [string, string])[];
  readonly externalServerUrls: readonly string[];
}

/** Fills in the defaults of a Klusterlet that has no problems (`problemsOf`). */
export function klusterletConfig(klusterlet: Klusterlet, facts: ConfigFacts): KlusterletConfig {
  const { spec = {} } = klusterlet;
  const { name = '', uid = '' } = klusterlet.metadata ?? {};
  const mode = modeOf(klusterlet) ?? 'Default';
  const { registrationConfiguration = {}, workConfiguration = {} } = spec;
  const registrationGates = componentGates('spoke-registration', registrationConfiguration.featureGates);
  const {
    hasHubSecret,
    isSwitching,
    operatorNamespace,
    managesAddOnNamespace,
    grantsWorkPayloads,
    images,
    replicas,
    storedClusterName,
  } = facts;
  const aws = awsConfig(registrationConfiguration.registrationDriver);
  return {
    name,
    uid,
    spec,
    mode,
    isHosted: isHosted(mode),
    isSingleton: isSingleton(mode),
    klusterletNamespace: klusterletNamespace(klusterlet),
    agentNamespace: agentNamespace(klusterlet),
    clusterName: spec.clusterName || storedClusterName || '',
    replicas: isHosted(mode) ? 1 : replicas,
    images: {
      registration: spec.registrationImagePullSpec || images.agent,
      work: spec.workImagePullSpec || images.agent,
      singleton: spec.imagePullSpec || images.singleton,
      awsCli: images.awsCli || defaultAwsCliImage,
    },
    registrationGates,
    workGates: componentGates('spoke-work', workConfiguration.featureGates),
    hubSecrets: registrationGates.isOn('MultipleHubs') ? hubSecretsOf(registrationConfiguration) : [],
    authType: registrationConfiguration.registrationDriver?.authType || RegistrationDriverName.Csr,
    ...(aws && { aws }),
    clusterAnnotations: Object.entries(registrationConfiguration.clusterAnnotations ?? {})
      .filter(([key]) => key.startsWith(KeyPrefix.AgentAnnotation))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    externalServerUrls: (spec.externalServerURLs ?? []).map(({ url }) => url).filter((url) => url !== ''),
    hasHubSecret,
    isSwitching,
    operatorNamespace,
    managesAddOnNamespace,
    grantsWorkPayloads,
  };
}

const hubSecretsOf = ({ bootstrapKubeConfigs }: NonNullable<Spec['registrationConfiguration']>): string[] =>
  (bootstrapKubeConfigs?.localSecretsConfig?.kubeConfigSecrets ?? []).map(({ name }) => name);

function awsConfig(
  driver: NonNullable<Spec['registrationConfiguration']>['registrationDriver'],
): KlusterletConfig['aws'] {
  if (driver?.authType !== RegistrationDriverName.AwsIrsa || !driver.awsIrsa) return undefined;
  return awsAgent(driver.awsIrsa.hubClusterArn, driver.awsIrsa.managedClusterArn);
}
