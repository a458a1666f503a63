import { isOwnGate, Label, MountPath, SecretName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { podName } from '../objects/deployment.ts';
import { isOcmImage, type OperatedHub } from './operated-hub.ts';

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];
type Probe = NonNullable<Container['livenessProbe']>;

/** Where a container answers probes. */
export interface ProbeEndpoint {
  readonly port: number;
  readonly scheme?: 'HTTPS';
}

/** One container of a program of the hub. */
export interface HubContainer {
  readonly name: string;
  readonly image: string;
  /** The first arguments: of our program, and of OCM's, whose images have no entry point. */
  readonly command: { readonly own: readonly string[]; readonly ocm: readonly string[] };
  /** The arguments after it. Those that both know, and those of our programs alone. */
  readonly flags: readonly string[];
  readonly ownFlags?: readonly string[];
  /** Undefined: it has no probes. */
  readonly probe?: ProbeEndpoint | undefined;
  readonly env?: Container['env'];
  readonly ports?: Container['ports'];
  readonly mounts?: Container['volumeMounts'];
}

/** One program of the hub. */
export interface HubProgramValues {
  /** Without the name of the ClusterManager, such as `registration-controller`. */
  readonly suffix: string;
  /** Label `app` of its pods. */
  readonly app: string;
  readonly account: string;
  readonly containers: readonly HubContainer[];
  readonly volumes?: PodSpec['volumes'];
  readonly hostNetwork?: boolean;
}

/** Health and metrics, which only this pod reaches by default. */
export const healthFlag = '--listen=0.0.0.0:8443';
export const healthProbe: ProbeEndpoint = { port: 8443, scheme: 'HTTPS' };
/** The name of that port: a PodMonitor selects it. */
export const healthPort = 'health';

/** Where the leases of a program are. The hub's cluster has a namespace of the same name in hosted mode. */
export const namespaceFlag = ({ namespace }: OperatedHub): string => `--namespace=${namespace}`;

const kubeconfigVolume = 'kubeconfig';
const temporary = { name: 'tmpdir', emptyDir: {} };

/** Spread over zones, then over nodes, where there are enough. */
const spread = (app: string): NonNullable<PodSpec['affinity']> => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 70, podAffinityTerm: term('topology.kubernetes.io/zone', app) },
      { weight: 30, podAffinityTerm: term('kubernetes.io/hostname', app) },
    ],
  },
});

const term = (topologyKey: string, app: string) => ({
  topologyKey,
  labelSelector: { matchExpressions: [{ key: Label.App, operator: 'In', values: [app] }] },
});

/** A program of the hub as a Deployment with OCM's names, which runs our image or OCM's. */
export function operatedDeployment(hub: OperatedHub, program: HubProgramValues): Deployment {
  const { suffix, app, account, hostNetwork } = program;
  const name = `${hub.name}-${suffix}`;
  const kubeconfig = SecretName.ServiceAccountKubeconfig.of({ serviceAccount: account });
  const volumes = [
    temporary,
    ...(hub.hosted ? [{ name: kubeconfigVolume, secret: { secretName: kubeconfig } }] : []),
    ...(program.volumes ?? []),
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: hub.namespace, labels: { [Label.App]: name } },
    spec: {
      replicas: hub.replicas,
      selector: { matchLabels: { [Label.App]: app } },
      ...(hostNetwork && { strategy: oneByOne(hub.replicas) }),
      template: {
        // A monitor of pods selects the programs of a hub with the second label.
        metadata: { labels: { [Label.App]: app, [Label.CreatedByClusterManager]: hub.name } },
        spec: {
          // In hosted mode programs are who their kubeconfig says, on the hub; on this cluster they have no rights.
          ...(!hub.hosted && { serviceAccountName: account }),
          ...(hub.imagePullSecret && { imagePullSecrets: [{ name: hub.imagePullSecret }] }),
          ...(hostNetwork && { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
          ...(hub.nodePlacement.nodeSelector && { nodeSelector: { ...hub.nodePlacement.nodeSelector } }),
          ...(hub.nodePlacement.tolerations && { tolerations: [...hub.nodePlacement.tolerations] }),
          affinity: spread(app),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: program.containers.map((container) => containerOf(hub, container)),
          volumes,
        },
      },
    },
  };
}

/** Two pods of one program cannot have the same port of a node, so an old one goes first. */
const oneByOne = (replicas: number) => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge: 0, maxUnavailable: replicas >= 4 ? '25%' : 1 },
});

/** What OCM's programs do anyway. Those before v1.3 do not know these flags, and end at a flag that they do not know. */
const ocmDefaults: ReadonlySet<string> = new Set([
  '--health-probe-port=8000',
  '--metrics-port=8080',
  '--tls-min-version=VersionTLS12',
]);

function argsOf(hub: OperatedHub, { command, flags, ownFlags = [] }: HubContainer, isOcm: boolean): string[] {
  const connection = hub.hosted ? [`--kubeconfig=${MountPath.HubDirectory}/kubeconfig`] : [];
  const all = [...flags, ...connection, ...hub.tlsFlags];
  const known = (flag: string) => !ocmDefaults.has(flag) && !isOwnGate(gateOf(flag));
  return isOcm ? [...command.ocm, ...all.filter(known)] : [...command.own, ...ownFlags, ...all];
}

function containerOf(hub: OperatedHub, container: HubContainer): Container {
  const { name, image, probe, env, mounts = [] } = container;
  const isOcm = isOcmImage(image);
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: argsOf(hub, container, isOcm),
    env: env ?? [podName],
    ...portsOf(container),
    ...(probe && probesOf(probe, isOcm)),
    resources: hub.resources ?? defaultResources(isOcm),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
    },
    volumeMounts: [
      { name: temporary.name, mountPath: '/tmp' },
      ...(hub.hosted ? [{ name: kubeconfigVolume, mountPath: MountPath.HubDirectory, readOnly: true }] : []),
      ...mounts,
    ],
  };
}

/** OCM requests 16Mi for programs in Go. Node needs more: a pod that uses more than it requests is evicted first. */
const defaultResources = (isOcm: boolean): NonNullable<OperatedHub['resources']> => ({
  requests: { cpu: '2m', memory: isOcm ? '16Mi' : '96Mi' },
});

/** The ports of a container, with the one on which it serves its health and metrics. */
function portsOf({ ports = [], probe }: HubContainer): Pick<Container, 'ports'> {
  const health = probe?.port === healthProbe.port ? [{ name: healthPort, containerPort: probe.port }] : [];
  const all = [...ports, ...health];
  return all.length > 0 ? { ports: all } : {};
}

/** The gate that a flag sets; empty for other flags. */
const gateOf = (flag: string): string => /^--feature-gates=([^=]+)=/.exec(flag)?.[1] ?? '';

/** OCM's programs have one path for both questions. */
function probesOf(
  { port, scheme }: ProbeEndpoint,
  isOcm: boolean,
): Pick<Container, 'livenessProbe' | 'readinessProbe'> {
  const probe = (path: string): Probe => ({
    httpGet: { path: isOcm ? '/healthz' : path, port, ...(scheme && { scheme }) },
    initialDelaySeconds: 2,
  });
  return { livenessProbe: { ...probe('/livez'), periodSeconds: 10 }, readinessProbe: probe('/readyz') };
}
