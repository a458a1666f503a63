import { arch, cpus, release, totalmem } from 'node:os';
import type { EpochMs } from '@flotilla/kube/clock';
import type { Node, NodeStatus } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';

/** What a node is made of. */
export interface NodeFacts {
  readonly name: string;
  readonly address: string;
  readonly kubeletPort: number;
  readonly capacity: Readonly<Record<string, string>>;
  readonly version: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** False while it shuts down. */
  readonly isReady: boolean;
}

/** As Go names it. */
const goArch = (): string => (arch() === 'x64' ? 'amd64' : arch());

/** What this machine has for pods. */
export const machineCapacity = (): Record<string, string> => ({
  cpu: String(cpus().length),
  memory: `${Math.floor(totalmem() / 1024)}Ki`,
  pods: '110',
  'ephemeral-storage': '100Gi',
});

/** The Node as its kubelet registers it. */
export const nodeObject = ({ name, labels }: NodeFacts): Node => ({
  metadata: {
    name,
    labels: {
      'kubernetes.io/arch': goArch(),
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      ...labels,
    },
  },
  spec: {},
});

const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The status that a kubelet reports; what others wrote is kept, and times of conditions that did not change. */
export function nodeStatus(facts: NodeFacts, before: NodeStatus, now: EpochMs, heartbeat: boolean): NodeStatus {
  const { name, address, capacity, kubeletPort, version, isReady } = facts;
  const ready = isReady
    ? (['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'] as const)
    : (['Ready', 'False', 'KubeletNotReady', 'node is shutting down'] as const);
  const conditions = [
    ...pressures.map(([type, reason, message]) => [type, 'False', reason, message] as const),
    ready,
  ].map(([type, status, reason, message]) => {
    const old = before.conditions?.find((condition) => condition.type === type);
    const time = formatTime(now);
    const isSame = old?.status === status;
    return {
      type,
      status,
      lastHeartbeatTime: isSame && !heartbeat ? (old.lastHeartbeatTime ?? time) : time,
      lastTransitionTime: isSame ? (old.lastTransitionTime ?? time) : time,
      reason,
      message,
    };
  });
  const own = new Set(conditions.map(({ type }) => type as string));
  return {
    ...before,
    capacity: { ...capacity },
    allocatable: { ...capacity },
    conditions: [...(before.conditions ?? []).filter(({ type }) => !own.has(type)), ...conditions],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    declaredFeatures: ['ExtendWebSocketsToKubelet'],
    nodeInfo: {
      architecture: goArch(),
      operatingSystem: 'linux',
      kubeletVersion: version,
      kubeProxyVersion: '',
      containerRuntimeVersion: `process://${process.version.slice(1)}`,
      osImage: `Node.js ${process.version}`,
      kernelVersion: release(),
      bootID: name,
      machineID: name,
      systemUUID: name,
    },
  };
}
