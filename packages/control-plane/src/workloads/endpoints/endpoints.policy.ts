import type { Endpoint, EndpointSlice, Pod, Service, ServicePort } from '@flotilla/kube/kinds';

/** A port of a Service on one of its pods. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

/** The ports of a Service on a pod; one whose name the pod does not have is left out. */
function portsOn({ spec }: Service, pod: Pod): ResolvedPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    return number === undefined ? [] : [{ name: port.name ?? '', port: number, protocol: port.protocol ?? 'TCP' }];
  });
}

function targetOf({ targetPort, port }: ServicePort, { spec }: Pod): number | undefined {
  if (targetPort === undefined || targetPort === 0) return port;
  if (typeof targetPort === 'number') return targetPort;
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === targetPort)?.containerPort;
}

/** Whether a pod can be an endpoint at all. */
const hasAddress = ({ status }: Pod): boolean =>
  Boolean(status?.podIP) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

/** A pod as an endpoint: one that is being deleted is not ready, whatever it answers. */
function endpointOf({ metadata, spec, status }: Pod, publishNotReady: boolean): Endpoint {
  const serving = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  const terminating = metadata?.deletionTimestamp !== undefined;
  return {
    addresses: [status?.podIP ?? ''],
    conditions: { ready: publishNotReady || (serving && !terminating), serving, terminating },
    ...(spec?.nodeName && { nodeName: spec.nodeName }),
    targetRef: {
      kind: 'Pod',
      ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }),
      ...(metadata?.name !== undefined && { name: metadata.name }),
      ...(metadata?.uid !== undefined && { uid: metadata.uid }),
    },
  };
}

/** What a slice says: one for each set of ports that pods of the Service have. */
export type SliceContent = Pick<EndpointSlice, 'ports' | 'endpoints'>;

export function slicesOf(service: Service, pods: readonly Pod[]): SliceContent[] {
  const byPorts = new Map<string, { ports: ResolvedPort[]; pods: Pod[] }>();
  for (const pod of pods.filter(hasAddress)) {
    const ports = portsOn(service, pod);
    const id = JSON.stringify(ports);
    const group = byPorts.get(id) ?? { ports, pods: [] };
    group.pods.push(pod);
    byPorts.set(id, group);
  }
  const publishNotReady = service.spec?.publishNotReadyAddresses ?? false;
  return [...byPorts.values()].map(({ ports, pods: members }) => ({
    ports: ports.map((port) => ({ ...port })),
    endpoints: members
      .map((pod) => endpointOf(pod, publishNotReady))
      .sort((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1)),
  }));
}
