import { Annotation, Label, MountPath, SecretName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { flavorOf } from '../config/images.ts';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];
type Resources = NonNullable<Container['resources']>;

/** A volume and where a container has it. */
export interface AgentMount {
  readonly volume: NonNullable<PodSpec['volumes']>[number];
  readonly path: string;
  readonly isReadOnly?: boolean;
}

/** What differs between the agents of a klusterlet. */
export interface AgentDeploymentValues {
  readonly name: string;
  /** Of the pods, by which tools find them. */
  readonly app: string;
  readonly replicas: number;
  readonly serviceAccount: string;
  readonly container: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly mounts: readonly AgentMount[];
}

const podName = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };

/** In a namespace of OpenShift that allows it, pods with it run beside the control plane. */
const managementWorkload = { [Annotation.OpenShiftManagementWorkload]: '{"effect": "PreferredDuringScheduling"}' };

/** An agent as a Deployment. A new version runs before the old one ends, and the lease decides which of them acts. */
export function agentDeployment(config: KlusterletConfig, values: AgentDeploymentValues): Deployment {
  const { agentNamespace: namespace, spec } = config;
  const { app } = values;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: values.name, namespace, labels: { [Label.App]: app } },
    spec: {
      replicas: values.replicas,
      selector: { matchLabels: { [Label.App]: app } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: { [Label.App]: app }, annotations: managementWorkload },
        spec: {
          ...placementOf(spec, app),
          serviceAccountName: values.serviceAccount,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          ...initContainers(config, values),
          containers: [containerOf(config, values)],
          volumes: volumesOf(config, values).map(({ volume }) => volume),
        },
      },
    },
  };
}

function containerOf(config: KlusterletConfig, values: AgentDeploymentValues): Container {
  const isOcm = flavorOf(values.image) === 'ocm';
  const probe = (path: string) => ({
    httpGet: { path, port: 8443, scheme: 'HTTPS' },
    initialDelaySeconds: 2,
    periodSeconds: 10,
  });
  return {
    name: values.container,
    image: values.image,
    imagePullPolicy: 'IfNotPresent',
    args: [...values.args],
    env: [podName],
    ports: [{ name: 'health', containerPort: 8443 }],
    livenessProbe: probe(isOcm ? '/healthz' : '/livez'),
    readinessProbe: probe(isOcm ? '/healthz' : '/readyz'),
    resources: resourcesOf(config, isOcm),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      privileged: false,
      readOnlyRootFilesystem: true,
    },
    volumeMounts: volumesOf(config, values).map(({ volume, path, isReadOnly }) => ({
      name: volume.name,
      mountPath: path,
      ...(isReadOnly && { readOnly: true }),
    })),
  };
}

/** By default what the agents of each project use when they have little to do; without a limit they may use more. */
function resourcesOf({ spec: { resourceRequirement: wanted } }: KlusterletConfig, isOcm: boolean): Resources {
  if (wanted?.type === 'BestEffort') return {};
  if (wanted?.type === 'ResourceRequirement') return (wanted.resourceRequirements ?? {}) as Resources;
  return { requests: { cpu: '2m', memory: isOcm ? '16Mi' : '96Mi' } };
}

type Placement = Pick<PodSpec, 'affinity' | 'nodeSelector' | 'tolerations' | 'priorityClassName' | 'hostAliases'>;

function placementOf(spec: KlusterletConfig['spec'], app: string): Placement {
  const { nodePlacement: { nodeSelector, tolerations } = {}, priorityClassName, hubApiServerHostAlias: alias } = spec;
  const apart = (weight: number, topologyKey: string) => ({
    weight,
    podAffinityTerm: {
      topologyKey,
      labelSelector: { matchExpressions: [{ key: Label.App, operator: 'In', values: [app] }] },
    },
  });
  return {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          apart(70, 'topology.kubernetes.io/zone'),
          apart(30, 'kubernetes.io/hostname'),
        ],
      },
    },
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations: [...tolerations] }),
    ...(priorityClassName && { priorityClassName }),
    ...(alias && { hostAliases: [{ ip: alias.ip, hostnames: [alias.hostname] }] }),
  };
}

const scratch: AgentMount = { volume: { name: 'tmpdir', emptyDir: {} }, path: '/tmp' };

/** OCM's agents run the command line of AWS, which its image does not have. Flotilla's has what it needs. */
const awsCli: readonly AgentMount[] = [
  { volume: { name: 'dot-aws', emptyDir: {} }, path: '/.aws' },
  { volume: { name: 'awscli', emptyDir: {} }, path: '/awscli' },
];

const needsAwsCli = ({ aws }: KlusterletConfig, { image, args }: AgentDeploymentValues): boolean =>
  aws !== undefined && flavorOf(image) === 'ocm' && args.includes('--registration-auth=awsirsa');

const volumesOf = (config: KlusterletConfig, values: AgentDeploymentValues): AgentMount[] => [
  ...values.mounts,
  scratch,
  ...(needsAwsCli(config, values) ? awsCli : []),
];

const initContainers = (config: KlusterletConfig, values: AgentDeploymentValues): Pick<PodSpec, 'initContainers'> => {
  if (!needsAwsCli(config, values)) return {};
  const copy: Container = {
    name: 'load-awscli',
    image: config.images.awsCli,
    command: ['cp', '-vr', '/usr/local/aws-cli/v2/current/dist', '/awscli'],
    volumeMounts: [{ name: 'awscli', mountPath: '/awscli' }],
  };
  return { initContainers: [copy] };
};

/** Where agents that register find how to reach their hubs. */
export function bootstrapMounts({ hubSecrets }: KlusterletConfig): AgentMount[] {
  if (hubSecrets.length === 0) {
    const volume = { name: 'bootstrap-secret', secret: { secretName: SecretName.BootstrapHubKubeconfig } };
    return [{ volume, path: MountPath.BootstrapDirectory, isReadOnly: true }];
  }
  return hubSecrets.map((secret) => ({
    volume: { name: secret, secret: { secretName: secret } },
    path: MountPath.MultipleHubsBootstrapDirectory.of({ secret }),
    isReadOnly: true,
  }));
}

/** Where agents of another cluster find its kubeconfig. */
export const hostedMounts = ({ isHosted }: KlusterletConfig, secretName: string): AgentMount[] =>
  isHosted
    ? [
        {
          volume: { name: 'spoke-kubeconfig-secret', secret: { secretName } },
          path: MountPath.SpokeConfigDirectory,
          isReadOnly: true,
        },
      ]
    : [];
