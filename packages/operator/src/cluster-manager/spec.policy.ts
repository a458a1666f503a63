import {
  Annotation,
  AwsName,
  type ClusterManager,
  type ClusterManagerSpec,
  KeyPrefix,
  Label,
  NamespaceName,
  RegistrationDriverName,
  SecretName,
  ServiceAccountName,
} from '@flotilla/api-types';
import { isOcmImage, type OperatedHub, type OperatedWebhook } from '@flotilla/install';
import { clusterProxyOf } from './cluster-proxy.policy.ts';
import { gateFlags, isGateOn } from './feature-gates.policy.ts';
import { isBalanced } from './grpc-endpoint.policy.ts';
import type { HubOperatorSettings } from './settings.ts';
import { isHosted } from './validation.policy.ts';

/** What the cluster says besides the ClusterManager. */
export interface HubSurroundings {
  readonly replicas: number;
  readonly tlsFlags: readonly string[];
  readonly hasPullSecret: boolean;
}

/** The namespace of a hub's programs. */
export const hubNamespace = (clusterManager: ClusterManager): string =>
  isHosted(clusterManager) ? (clusterManager.metadata.name ?? '') : NamespaceName.Hub;

/** The labels of a ClusterManager that its objects get too. */
export const syncedLabels = ({ metadata }: ClusterManager): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata.labels ?? {})
      .filter(([key]) => key !== Label.App && !key.startsWith(KeyPrefix.ReservedLabel))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );

/** A hub as its ClusterManager describes it, with defaults. Call it for one without problems. */
export function operatedHubOf(
  clusterManager: ClusterManager,
  settings: HubOperatorSettings,
  surroundings: HubSurroundings,
): OperatedHub {
  const { spec = {} } = clusterManager;
  const drivers = spec.registrationConfiguration?.registrationDrivers ?? [];
  const hasGrpc = drivers.some(({ authType }) => authType === RegistrationDriverName.Grpc);
  const clusterProxy = clusterProxyOf(spec);
  return {
    name: clusterManager.metadata.name ?? '',
    namespace: hubNamespace(clusterManager),
    hosted: isHosted(clusterManager),
    images: imagesOf(spec, settings.hubImage),
    ...(surroundings.hasPullSecret && { imagePullSecret: SecretName.ImagePullCredentials }),
    replicas: surroundings.replicas,
    ...resourcesOf(spec),
    nodePlacement: spec.nodePlacement ?? {},
    tlsFlags: surroundings.tlsFlags,
    gateFlags: {
      registration: gateFlags(spec, 'Registration'),
      work: gateFlags(spec, 'Work'),
      placement: [],
      addon: [],
    },
    features: {
      workController:
        isGateOn(spec, 'Work', 'ManifestWorkReplicaSet') || isGateOn(spec, 'Work', 'CleanUpCompletedManifestWork'),
      addonManager: isGateOn(spec, 'Addon', 'AddonManagement'),
      placementDebug: isGateOn(spec, 'Placement', 'PlacementDebugServer'),
      clusterProfile: isGateOn(spec, 'Registration', 'ClusterProfile'),
      clusterImporter: isGateOn(spec, 'Registration', 'ClusterImporter'),
      pushAgents: isGateOn(spec, 'Server', 'PushAgents'),
    },
    ...(clusterProxy && { clusterProxy }),
    authTypes: drivers.length > 0 ? drivers.map(({ authType }) => authType) : [RegistrationDriverName.Csr],
    registrationFlags: registrationFlags(clusterManager, settings),
    ownRegistrationFlags: listFlag('duplicate-identity', listOf(clusterManager, Annotation.DuplicateIdentity)),
    registrationAccountAnnotations: accountAnnotations(spec),
    workDriver: workDriverOf(spec),
    ...(hasGrpc && { grpc: { serviceType: isBalanced(spec) ? 'LoadBalancer' : 'ClusterIP' } }),
    webhooks: {
      registration: webhookOf(spec, 'registration'),
      work: webhookOf(spec, 'work'),
      addon: webhookOf(spec, 'addon'),
    },
  };
}

/** What the definition of the kind fills in: such a ClusterManager leaves the choice to the operator. */
const isDefaultImage = (image: string | undefined): boolean =>
  !image || /^quay\.io\/open-cluster-management\/(registration|work|placement|addon-manager)$/.test(image);

function imagesOf(spec: ClusterManagerSpec, own: string): OperatedHub['images'] {
  const imageOf = (image: string | undefined): string => (isDefaultImage(image) ? own : (image ?? own));
  const registration = imageOf(spec.registrationImagePullSpec);
  const server = spec.serverConfiguration?.imagePullSpec || registration;
  return {
    registration,
    work: imageOf(spec.workImagePullSpec),
    placement: imageOf(spec.placementImagePullSpec),
    addonManager: imageOf(spec.addOnManagerImagePullSpec),
    server,
    // OCM's images do not have these programs.
    own: isOcmImage(server) ? own : server,
  };
}

function resourcesOf({ resourceRequirement }: ClusterManagerSpec): Pick<OperatedHub, 'resources'> {
  const { type = 'Default', resourceRequirements } = resourceRequirement ?? {};
  if (type === 'BestEffort') return { resources: {} };
  if (type === 'ResourceRequirement') return { resources: { ...resourceRequirements } as OperatedHub['resources'] };
  return {};
}

/** The value of an annotation, if it has one. */
const listOf = ({ metadata }: ClusterManager, annotation: string): string[] => {
  const value = metadata.annotations?.[annotation];
  return value ? [value] : [];
};

const listFlag = (flag: string, values: readonly string[] | undefined): string[] =>
  values && values.length > 0 ? [`--${flag}=${values.join(',')}`] : [];

function registrationFlags(clusterManager: ClusterManager, settings: HubOperatorSettings): string[] {
  const { spec = {} } = clusterManager;
  const { autoApproveUsers, registrationDrivers = [] } = spec.registrationConfiguration ?? {};
  const driver = (authType: string) => registrationDrivers.find((one) => one.authType === authType);
  const awsirsa = driver(RegistrationDriverName.AwsIrsa)?.awsirsa;
  const labels = settings.syncLabels ? syncedLabels(clusterManager) : {};
  return [
    ...listFlag('cluster-auto-approval-users', autoApproveUsers),
    ...(isGateOn(spec, 'Registration', 'ClusterImporter') ? importerFlags(spec, settings) : []),
    ...listFlag('hub-cluster-arn', awsirsa?.hubClusterArn ? [awsirsa.hubClusterArn] : []),
    ...listFlag(
      'enabled-registration-drivers',
      registrationDrivers.map(({ authType }) => authType),
    ),
    ...listFlag('auto-approved-csr-users', driver(RegistrationDriverName.Csr)?.csr?.autoApprovedIdentities),
    ...listFlag('auto-approved-arn-patterns', awsirsa?.autoApprovedIdentities),
    ...listFlag(
      'labels',
      Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    ),
    ...listFlag('aws-resource-tags', awsirsa?.tags),
    ...listFlag('auto-approved-grpc-users', driver(RegistrationDriverName.Grpc)?.grpc?.autoApprovedIdentities),
  ];
}

const importerFlags = (
  { registrationConfiguration }: ClusterManagerSpec,
  { agentImage, namespace }: HubOperatorSettings,
): string[] => [
  ...listFlag('agent-image', agentImage ? [agentImage] : []),
  `--bootstrap-serviceaccount=${namespace}/${ServiceAccountName.AgentRegistrationBootstrap}`,
  ...listFlag('import-renderers', registrationConfiguration?.importerConfiguration?.renderers),
];

/** The IAM role by which the hub makes roles for its clusters. */
function accountAnnotations({ registrationConfiguration }: ClusterManagerSpec): Record<string, string> {
  const drivers = registrationConfiguration?.registrationDrivers ?? [];
  const arn = drivers.find(({ authType }) => authType === RegistrationDriverName.AwsIrsa)?.awsirsa?.hubClusterArn;
  const [, account, hubName] = /:(\d{12}):cluster\/(.+)$/.exec(arn ?? '') ?? [];
  if (!account || !hubName) return {};
  return { [Annotation.EksRoleArn]: AwsName.IdentityCreatorRoleArn.of({ account, hubName }) };
}

function workDriverOf(spec: ClusterManagerSpec): OperatedHub['workDriver'] {
  if (!isGateOn(spec, 'Work', 'CloudEventsDrivers')) return { flags: [], hasConfig: false };
  const { workDriver = 'kube' } = spec.workConfiguration ?? {};
  const hasConfig = workDriver !== 'kube';
  const connection = [
    '--cloudevents-client-id=work-controller-$(POD_NAME)',
    '--work-driver-config=/var/run/secrets/work/config.yaml',
  ];
  return { flags: [`--work-driver=${workDriver}`, ...(hasConfig ? connection : [])], hasConfig };
}

function webhookOf({ deployOption }: ClusterManagerSpec, server: 'registration' | 'work' | 'addon'): OperatedWebhook {
  const field = `${server}WebhookConfiguration` as const;
  const hosted = deployOption?.mode === 'Hosted';
  const external = hosted && server !== 'addon' ? deployOption.hosted?.[`${server}WebhookConfiguration`] : undefined;
  const bind = (hosted ? external : deployOption?.default?.[field])?.bindConfiguration;
  return {
    port: bind?.port ?? 9443,
    healthProbePort: Math.max(0, bind?.healthProbePort ?? 8000),
    metricsPort: Math.max(0, bind?.metricsPort ?? 8080),
    hostNetwork: bind?.hostNetwork ?? false,
    ...(external && { external: { address: external.address, port: external.port ?? 443 } }),
  };
}
