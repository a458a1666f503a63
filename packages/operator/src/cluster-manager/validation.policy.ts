import { isIP } from 'node:net';
import { Annotation, type ClusterManager, type ClusterManagerSpec, RegistrationDriverName } from '@flotilla/api-types';
import { duplicateIdentityPolicies, isOcmImage } from '@flotilla/install';
import { isDnsSubdomain } from '@flotilla/schema';
import { clusterProxyEndpoint, clusterProxyUsage } from './cluster-proxy.policy.ts';
import { isGateOn } from './feature-gates.policy.ts';
import { grpcEndpoints } from './grpc-endpoint.policy.ts';

type Bind = { port?: number; healthProbePort?: number; metricsPort?: number } | undefined;

const arn = /^arn:aws(-[a-z]+)*:eks:[a-zA-Z0-9-]+:\d{12}:cluster\/[a-zA-Z0-9][a-zA-Z0-9_-]*$/;

/** A host name or an IP address, with a port or without. */
const isHost = (host: string): boolean => {
  const name = host.replace(/:\d{1,5}$/, '');
  return isIP(host) !== 0 || isIP(name) !== 0 || (isDnsSubdomain(name.toLowerCase()) && !/^[\d.]+$/.test(name));
};

/** What is wrong with a ClusterManager: each line names the field, its value and what to do. Unknown gates are not among it. */
export function problemsOf(clusterManager: ClusterManager, others: readonly ClusterManager[], image: string): string[] {
  const { spec = {} } = clusterManager;
  return [
    ...modeProblems(clusterManager, others),
    ...portProblems(spec),
    ...addressProblems(spec),
    ...driverProblems(spec),
    ...endpointProblems(spec),
    ...clusterProxyProblems(spec),
    ...workDriverProblems(spec, image),
    ...identityProblems(clusterManager),
  ];
}

function identityProblems({ metadata }: ClusterManager): string[] {
  const value = metadata.annotations?.[Annotation.DuplicateIdentity];
  if (!value || duplicateIdentityPolicies.some((policy) => policy === value)) return [];
  const field = `metadata.annotations["${Annotation.DuplicateIdentity}"] "${value}"`;
  return [`${field}: it must be one of ${duplicateIdentityPolicies.join(', ')}.`];
}

export const isHosted = ({ spec }: ClusterManager): boolean => spec?.deployOption?.mode === 'Hosted';

const age = ({ metadata }: ClusterManager): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;

/** The hub that this cluster is already: two cannot be in one namespace, and the older one stays. */
export const hubBefore = (own: ClusterManager, others: readonly ClusterManager[]): ClusterManager | undefined =>
  isHosted(own) ? undefined : others.find((other) => !isHosted(other) && age(other) < age(own));

function modeProblems(own: ClusterManager, others: readonly ClusterManager[]): string[] {
  const older = hubBefore(own, others);
  if (!older) return [];
  return [
    `spec.deployOption.mode "Default": ClusterManager ${older.metadata.name} is the hub of this cluster already. ` +
      'Delete one of the two, or use the mode Hosted.',
  ];
}

const bindingsOf = ({ deployOption }: ClusterManagerSpec): [string, Bind][] => {
  const mode = deployOption?.mode === 'Hosted' ? 'hosted' : 'default';
  return Object.entries(deployOption?.[mode] ?? {}).map(([webhook, value]) => [
    `spec.deployOption.${mode}.${webhook}.bindConfiguration`,
    value?.bindConfiguration,
  ]);
};

function portProblems(spec: ClusterManagerSpec): string[] {
  return bindingsOf(spec).flatMap(([field, bind]) => {
    if (!bind) return [];
    const { port = 9443, healthProbePort = 8000, metricsPort = 8080 } = bind;
    const named = Object.entries({ port, healthProbePort, metricsPort });
    const outOfRange = named
      .filter(([name, value]) => value > 65_535 || (name === 'port' && value < 1))
      .map(([name, value]) => `${field}.${name} ${value}: a port is from 1 to 65535.`);
    const twice = named.find(
      ([name, value]) => value > 0 && named.some(([other, same]) => other < name && same === value),
    );
    return [
      ...outOfRange,
      ...(twice ? [`${field}.${twice[0]} ${twice[1]}: another port has it too. Choose one each.`] : []),
    ];
  });
}

function addressProblems({ deployOption }: ClusterManagerSpec): string[] {
  if (deployOption?.mode !== 'Hosted') return [];
  const { hosted } = deployOption;
  return (['registrationWebhookConfiguration', 'workWebhookConfiguration'] as const).flatMap((webhook) => {
    const field = `spec.deployOption.hosted.${webhook}`;
    const { address, port = 443 } = hosted?.[webhook] ?? {};
    if (!address)
      return [`${field}.address is missing. Give the name or IP address at which the hub reaches the webhook.`];
    return [
      ...(isHost(address) ? [] : [`${field}.address "${address}": it must be a host name or an IP address.`]),
      ...(port >= 1 && port <= 65_535 ? [] : [`${field}.port ${port}: a port is from 1 to 65535.`]),
    ];
  });
}

function driverProblems({ registrationConfiguration }: ClusterManagerSpec): string[] {
  const drivers = registrationConfiguration?.registrationDrivers ?? [];
  return drivers.flatMap((driver, at) => {
    if (driver.authType !== RegistrationDriverName.AwsIrsa) return [];
    const value = driver.awsirsa?.hubClusterArn;
    if (value && arn.test(value)) return [];
    const field = `spec.registrationConfiguration.registrationDrivers[${at}].awsirsa.hubClusterArn`;
    const example = 'arn:aws:eks:us-west-2:123456789012:cluster/hub';
    return [value ? `${field} "${value}": it must be like ${example}.` : `${field} is missing. It is like ${example}.`];
  });
}

const endpointProblems = (spec: ClusterManagerSpec): string[] =>
  grpcEndpoints(spec).flatMap(({ field, host }) =>
    host === undefined || isHost(host)
      ? []
      : [`${field}.host "${host}": it must be a host name or an IP address, without a scheme or a path.`],
  );

/** The API server of a hosted hub has to reach the pods of the cluster proxy, which are on another cluster. */
function clusterProxyProblems(spec: ClusterManagerSpec): string[] {
  if (spec.deployOption?.mode !== 'Hosted' || !isGateOn(spec, 'Server', 'ClusterProxy')) return [];
  const { field, host } = clusterProxyEndpoint(spec);
  if (host) return isHost(host) ? [] : [`${field} "${host}": it must be a host name or an IP address.`];
  return [
    'spec.serverConfiguration.featureGates ClusterProxy: a hosted hub needs the address at which it reaches the cluster proxy. ' +
      `Add to spec.serverConfiguration.endpointsExposure: {protocol: https, usage: ${clusterProxyUsage}, https: {type: hostname, hostname: {host: NAME:PORT}}}.`,
  ];
}

/** Our hub keeps works in the API server. OCM's image can have them elsewhere. */
function workDriverProblems({ workConfiguration, workImagePullSpec }: ClusterManagerSpec, image: string): string[] {
  const { workDriver = 'kube', featureGates = [] } = workConfiguration ?? {};
  const isOn = featureGates.some(({ feature, mode }) => feature === 'CloudEventsDrivers' && mode === 'Enable');
  if (!isOn || workDriver === 'kube' || isOcmImage(workImagePullSpec || image)) return [];
  return [
    `spec.workConfiguration.workDriver "${workDriver}": ${workImagePullSpec || image} has kube only. ` +
      'Use kube, or an image of OCM in spec.workImagePullSpec.',
  ];
}
