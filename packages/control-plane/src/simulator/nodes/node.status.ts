import type { Node } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';

/** What a simulated node is made of. */
export interface SimulatedNode {
  readonly name: string;
  /** As Kubernetes writes quantities: `8`, `500m`. */
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  readonly labels?: Readonly<Record<string, string>>;
}

type NodeStatus = NonNullable<Node['status']>;

const healthy = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

/** The node as its kubelet would register it. */
export const nodeObject = ({ name, labels }: SimulatedNode): Node => ({
  metadata: {
    name,
    labels: {
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      ...labels,
    },
  },
  spec: {},
});

/** The status of a node that is well; transition times of `before` are kept. */
export function nodeStatus(
  node: SimulatedNode,
  index: number,
  version: string,
  before: NodeStatus,
  now: number,
): NodeStatus {
  const capacity = { cpu: node.cpu, memory: node.memory, pods: node.pods, 'ephemeral-storage': '100Gi' };
  return {
    ...before,
    capacity,
    allocatable: capacity,
    conditions: healthy.map(([type, status, reason, message]) => {
      const old = before.conditions?.find((condition) => condition.type === type);
      const time = formatTime(now);
      return {
        type,
        status,
        lastHeartbeatTime: old?.lastHeartbeatTime ?? time,
        lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? time) : time,
        reason,
        message,
      };
    }),
    addresses: [
      { type: 'InternalIP', address: nodeAddress(index) },
      { type: 'Hostname', address: node.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      kubeletVersion: version,
      kubeProxyVersion: '',
      containerRuntimeVersion: 'simulated://1.0.0',
      osImage: 'Simulated Linux',
      kernelVersion: '6.0.0-simulated',
      bootID: node.name,
      machineID: node.name,
      systemUUID: node.name,
    },
  };
}

/** 10.0.0.0/16 is for nodes. */
export const nodeAddress = (index: number): string => `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;
