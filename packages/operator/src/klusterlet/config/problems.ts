import { type Klusterlet, RegistrationDriverName } from '@flotilla/api-types';
import { isDnsLabel } from '@flotilla/schema';
import { awsRoles } from './aws-roles.ts';
import { componentGates } from './feature-gates.ts';
import { isHosted, modeOf } from './mode.ts';

type Registration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;

/** Directories in agents that a Secret of a hub cannot be mounted at. */
const takenNames = ['hub-kubeconfig', 'config', 'bootstrap'];

/** What the schema of the kind accepts and no agent can run with. Each names the field, its value and what to do. */
export function problemsOf(klusterlet: Klusterlet): string[] {
  const { registrationConfiguration = {} } = klusterlet.spec ?? {};
  return [
    ...modeProblems(klusterlet),
    ...hubsProblems(registrationConfiguration),
    ...driverProblems(registrationConfiguration),
    ...addressProblems(klusterlet),
  ];
}

function modeProblems(klusterlet: Klusterlet): string[] {
  const mode = modeOf(klusterlet);
  const { name = '' } = klusterlet.metadata ?? {};
  if (!mode) {
    const given = JSON.stringify(klusterlet.spec?.deployOption?.mode);
    return [`spec.deployOption.mode is ${given}: use Default, Singleton, Hosted or SingletonHosted`];
  }
  if (isHosted(mode) && !isDnsLabel(name)) {
    return [
      `metadata.name is "${name}", which cannot name the namespace of hosted agents: use lower-case letters, digits and dashes`,
    ];
  }
  return [];
}

/** OCM's operator crashes on the first of these. */
function hubsProblems({ featureGates, bootstrapKubeConfigs }: Registration): string[] {
  if (!componentGates('spoke-registration', featureGates).isOn('MultipleHubs')) return [];
  const field = 'spec.registrationConfiguration.bootstrapKubeConfigs';
  const needed = 'the feature gate MultipleHubs is on';
  if (bootstrapKubeConfigs?.type !== 'LocalSecrets') {
    return [
      `${field}.type is "${bootstrapKubeConfigs?.type ?? 'None'}" and ${needed}: use LocalSecrets, or switch the gate off`,
    ];
  }
  const list = `${field}.localSecretsConfig.kubeConfigSecrets`;
  const names = (bootstrapKubeConfigs.localSecretsConfig?.kubeConfigSecrets ?? []).map(({ name }) => name);
  if (names.length < 2)
    return [`${list} has ${names.length} entries and ${needed}: name the Secrets of at least two hubs`];
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  const taken = names.find((name) => takenNames.includes(name));
  return [
    ...(repeated === undefined ? [] : [`${list} names "${repeated}" twice: name each Secret once`]),
    ...(taken === undefined
      ? []
      : [`${list} names "${taken}", a directory of the agents: give the Secret another name`]),
  ];
}

function driverProblems({ featureGates, registrationDriver: driver }: Registration): string[] {
  const field = 'spec.registrationConfiguration.registrationDriver';
  const isMultiple = componentGates('spoke-registration', featureGates).isOn('MultipleHubs');
  if (driver?.authType === RegistrationDriverName.Grpc && isMultiple) {
    return [
      `${field}.authType is "grpc" and the feature gate MultipleHubs is on: over gRPC a cluster has one hub; switch the gate off`,
    ];
  }
  if (driver?.authType !== RegistrationDriverName.AwsIrsa) return [];
  if (!driver.awsIrsa)
    return [`${field}.awsIrsa is missing: authType "awsirsa" needs hubClusterArn and managedClusterArn`];
  const { hubClusterArn, managedClusterArn } = driver.awsIrsa;
  if (awsRoles(hubClusterArn, managedClusterArn)) return [];
  const given = `hubClusterArn "${hubClusterArn}" and managedClusterArn "${managedClusterArn}"`;
  return [`${field}.awsIrsa has ${given}: both must be like arn:aws:eks:us-west-2:123456789012:cluster/NAME`];
}

function addressProblems({ spec }: Klusterlet): string[] {
  const wrong = (spec?.externalServerURLs ?? []).find(({ url }) => url !== '' && URL.parse(url)?.protocol !== 'https:');
  return wrong ? [`spec.externalServerURLs has "${wrong.url}": agents report https addresses only`] : [];
}
