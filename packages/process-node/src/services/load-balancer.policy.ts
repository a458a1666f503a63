import type { EndpointSlice, Service, ServicePort } from '@flotilla/kube/kinds';
import type { ForwardTarget } from './forward.ts';

/** Whether this node gives the Service an address; a class names another one that does. */
export const isBalanced = ({ metadata, spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && !spec.loadBalancerClass && metadata?.deletionTimestamp === undefined;

/** The ports that connections are forwarded from. */
export const forwardedPorts = ({ spec }: Service): readonly ServicePort[] =>
  (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');

/** The ready endpoints of one port of a Service. */
export function targetsOf(port: ServicePort, slices: readonly EndpointSlice[]): ForwardTarget[] {
  return slices.flatMap((slice) => {
    const target = slice.ports?.find(({ name = '' }) => name === (port.name ?? ''))?.port;
    if (target === undefined) return [];
    const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    return ready.flatMap(({ addresses }) => addresses.slice(0, 1).map((host) => ({ host, port: target })));
  });
}
