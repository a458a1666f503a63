import { isOwnGate, MountPath, RegistrationDriverName } from '@flotilla/api-types';
import { flavorOf, type ImageFlavor } from '../config/images.ts';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';

// The flags are OCM's, in OCM's order; Flotilla's agents take them all. What Flotilla's agents would ignore is given to OCM's only.

const hubFile = (file: string): string => `${MountPath.HubKubeconfigDirectory}/${file}`;
const spokeKubeconfig = `${MountPath.SpokeConfigDirectory}/kubeconfig`;

/** Agents of Flotilla serve probes on loopback unless they are told to serve the pod's address. */
const listen = '--listen=0.0.0.0:8443';

/** The arguments of the registration agent. */
export function registrationArgs(config: KlusterletConfig): string[] {
  const { spec, images, registrationGates } = config;
  const { kubeAPIQPS, kubeAPIBurst } = spec.registrationConfiguration ?? {};
  const flavor = flavorOf(images.registration);
  return [
    ...(flavor === 'ocm' ? ['/registration', 'agent'] : ['registration', listen]),
    `--spoke-cluster-name=${spec.clusterName ?? ''}`,
    ...bootstrapArgs(config),
    ...gateArgs(registrationGates.flags, flavor),
    ...registrationFlags(config),
    ...labelArgs(config, flavor),
    ...hostedArgs(config, flavor),
    ...limitArgs(flavor, '', { qps: kubeAPIQPS, burst: kubeAPIBurst }),
    ...driverArgs(config),
  ];
}

/** The arguments of the work agent. */
export function workArgs(config: KlusterletConfig): string[] {
  const { clusterName, uid, images, workGates, spec } = config;
  const { kubeAPIQPS, kubeAPIBurst, hubKubeAPIQPS, hubKubeAPIBurst } = spec.workConfiguration ?? {};
  const flavor = flavorOf(images.work);
  return [
    ...(flavor === 'ocm'
      ? ['/work', 'agent']
      : ['work', listen, `--hub-kubeconfig-dir=${MountPath.HubKubeconfigDirectory}`]),
    `--spoke-cluster-name=${clusterName}`,
    ...sourceArgs(config, 'work-agent'),
    `--agent-id=${uid}`,
    ...gateArgs(workGates.flags, flavor),
    ...workFlags(config),
    ...(flavor === 'ocm' ? [`--terminate-on-files=${hubFile('kubeconfig')}`] : []),
    ...hostedArgs(config, flavor),
    ...limitArgs(flavor, '', { qps: kubeAPIQPS, burst: kubeAPIBurst }),
    ...limitArgs(flavor, 'hub-', { qps: hubKubeAPIQPS, burst: hubKubeAPIBurst }),
  ];
}

/** The arguments of the agent that is one process. */
export function singletonArgs(config: KlusterletConfig): string[] {
  const { spec, uid, images, registrationGates, workGates } = config;
  const { registrationConfiguration: registration = {}, workConfiguration: work = {} } = spec;
  const flavor = flavorOf(images.singleton);
  const limits = {
    qps: Math.max(registration.kubeAPIQPS ?? 0, work.kubeAPIQPS ?? 0),
    burst: Math.max(registration.kubeAPIBurst ?? 0, work.kubeAPIBurst ?? 0),
  };
  return [
    ...(flavor === 'ocm' ? ['/registration-operator', 'agent'] : [listen]),
    `--spoke-cluster-name=${spec.clusterName ?? ''}`,
    ...bootstrapArgs(config),
    `--agent-id=${uid}`,
    // Flotilla's takes works over the connection that it registered by.
    ...(flavor === 'ocm' ? sourceArgs({ ...config, clusterName: spec.clusterName ?? '' }, 'klusterlet-agent') : []),
    ...gateArgs([...workGates.flags, ...registrationGates.flags], flavor),
    ...registrationFlags(config),
    ...labelArgs(config, flavor),
    ...workFlags(config),
    ...hostedArgs(config, flavor),
    ...limitArgs(flavor, '', limits),
    ...(flavor === 'ocm' ? limitArgs(flavor, 'hub-', { qps: work.hubKubeAPIQPS, burst: work.hubKubeAPIBurst }) : []),
    ...driverArgs(config),
  ];
}

/** Agents of OCM end at a gate that they do not know. */
const gateArgs = (flags: readonly string[], flavor: ImageFlavor): string[] =>
  flags
    .filter((flag) => flavor !== 'ocm' || !isOwnGate(flag.split('=', 1)[0] ?? ''))
    .map((flag) => `--feature-gates=${flag}`);

function bootstrapArgs({ hubSecrets, spec }: KlusterletConfig): string[] {
  if (hubSecrets.length === 0) return [`--bootstrap-kubeconfig=${MountPath.BootstrapDirectory}/kubeconfig`];
  const { hubConnectionTimeoutSeconds = 600 } =
    spec.registrationConfiguration?.bootstrapKubeConfigs?.localSecretsConfig ?? {};
  const paths = hubSecrets.map((secret) => MountPath.MultipleHubsBootstrapDirectory.of({ secret }));
  return [
    ...paths.map((path) => `--bootstrap-kubeconfigs=${path}/kubeconfig`),
    `--hub-connection-timeout-seconds=${hubConnectionTimeoutSeconds}`,
  ];
}

/** OCM's kind has labels, and its agents no flag for them. */
function labelArgs({ spec }: KlusterletConfig, flavor: ImageFlavor): string[] {
  const labels = Object.entries(spec.registrationConfiguration?.clusterLabels ?? {}).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  if (flavor === 'ocm' || labels.length === 0) return [];
  return [`--cluster-labels=${labels.map(([key, value]) => `${key}=${value}`).join(',')}`];
}

function registrationFlags({ spec, externalServerUrls, clusterAnnotations }: KlusterletConfig): string[] {
  const {
    clientCertExpirationSeconds: certificateSeconds = 0,
    clusterClaimConfiguration: claims,
    addOnKubeClientRegistrationDriver: addOns,
  } = spec.registrationConfiguration ?? {};
  const tokenSeconds = addOns?.token?.expirationSeconds ?? 0;
  return [
    ...(externalServerUrls.length > 0 ? [`--spoke-external-server-urls=${externalServerUrls.join(',')}`] : []),
    ...(certificateSeconds > 0 ? [`--client-cert-expiration-seconds=${certificateSeconds}`] : []),
    ...(clusterAnnotations.length > 0
      ? [`--cluster-annotations=${clusterAnnotations.map(([key, value]) => `${key}=${value}`).join(',')}`]
      : []),
    ...(claims ? [`--max-custom-cluster-claims=${claims.maxCustomClusterClaims}`] : []),
    ...(claims?.reservedClusterClaimSuffixes?.length
      ? [`--reserved-cluster-claim-suffixes=${claims.reservedClusterClaimSuffixes.join(',')}`]
      : []),
    ...(addOns?.authType ? [`--addon-kubeclient-registration-auth=${addOns.authType}`] : []),
    ...(tokenSeconds > 0 ? [`--addon-token-expiration-seconds=${tokenSeconds}`] : []),
  ];
}

function workFlags({ spec, replicas }: KlusterletConfig): string[] {
  const { statusSyncInterval, appliedManifestWorkEvictionGracePeriod: grace } = spec.workConfiguration ?? {};
  const interval = statusSyncInterval ?? (replicas === 1 ? '60s' : undefined);
  return [
    ...(interval ? [`--status-sync-interval=${interval}`] : []),
    ...(grace ? [`--appliedmanifestwork-eviction-grace-period=${grace}`] : []),
  ];
}

function sourceArgs({ authType, clusterName }: KlusterletConfig, client: string): string[] {
  if (authType !== RegistrationDriverName.Grpc) {
    return ['--workload-source-driver=kube', `--workload-source-config=${hubFile('kubeconfig')}`];
  }
  return [
    '--workload-source-driver=grpc',
    `--workload-source-config=${hubFile('config.yaml')}`,
    ...(clusterName ? [`--cloudevents-client-id=${clusterName}-${client}`] : []),
  ];
}

const hostedArgs = ({ isHosted }: KlusterletConfig, flavor: string): string[] => [
  ...(isHosted ? [`--spoke-kubeconfig=${spokeKubeconfig}`] : []),
  // Flotilla's agents read the file again when it changes.
  ...(isHosted && flavor === 'ocm' ? [`--terminate-on-files=${spokeKubeconfig}`] : []),
];

function driverArgs({ authType, aws }: KlusterletConfig): string[] {
  if (authType === RegistrationDriverName.Grpc) {
    return [
      '--registration-auth=grpc',
      `--grpc-bootstrap-config=${MountPath.BootstrapDirectory}/config.yaml`,
      `--grpc-config=${hubFile('config.yaml')}`,
    ];
  }
  if (!aws) return [];
  return [
    '--registration-auth=awsirsa',
    `--hub-cluster-arn=${aws.hubClusterArn}`,
    `--managed-cluster-arn=${aws.managedClusterArn}`,
    `--managed-cluster-role-suffix=${aws.suffix}`,
  ];
}

interface Limits {
  readonly qps: number | undefined;
  readonly burst: number | undefined;
}

/** What the schema fills in when the user says nothing. */
const schemaLimits = { qps: 50, burst: 100 } as const;

/**
 * Flotilla's agents have no limit of their own unless a user sets one: the API server sheds load by itself, and the default of the
 * schema would make them as slow as those that need it.
 */
function limitArgs(flavor: string, prefix: string, { qps = 0, burst = 0 }: Limits): string[] {
  if (flavor === 'flotilla' && qps === schemaLimits.qps && burst === schemaLimits.burst) return [];
  return [
    ...(qps > 0 ? [`--${prefix}kube-api-qps=${qps}`] : []),
    ...(burst > 0 && qps > 0 ? [`--${prefix}kube-api-burst=${burst}`] : []),
  ];
}
