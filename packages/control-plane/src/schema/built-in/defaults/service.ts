import { child, children, type Defaulter, ensure, fill, textAt } from './fill.ts';

/** Three hours, how long a client stays with one endpoint. */
const clientIpTimeoutSeconds = 10800;

const isReachable = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** What does not need an address to be allocated; that is done when the service is created. */
export const defaultService: Defaulter = (service) => {
  const spec = ensure(service, 'spec');
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  const type = textAt(spec, 'type');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    fill(ensure(ensure(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: clientIpTimeoutSeconds });
  }
  for (const port of children(spec, 'ports')) {
    fill(port, { protocol: 'TCP' });
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
      port.targetPort = port.port ?? 0;
    }
  }
  const hasExternalIps = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  if (isReachable(type) || (type === 'ClusterIP' && hasExternalIps)) fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (type === 'ClusterIP' || isReachable(type)) fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (type === 'LoadBalancer') {
    fill(spec, { allocateLoadBalancerNodePorts: true });
    for (const ingress of children(child(child(service, 'status') ?? {}, 'loadBalancer'), 'ingress')) {
      if (ingress.ip !== undefined) fill(ingress, { ipMode: 'VIP' });
    }
  }
};
