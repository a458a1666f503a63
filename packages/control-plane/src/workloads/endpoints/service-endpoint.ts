import type { EndpointSlice, Service } from '@flotilla/kube/kinds';
import type { ServiceReference } from '../../contracts/webhook-caller.ts';

/** Reads what Services and slices there are. */
export interface ServiceLookup {
  service(key: string): Service | undefined;
  slices(namespace: string): readonly EndpointSlice[];
}

/** The address of a ready endpoint of a Service's port, as the API server finds it: there are no cluster addresses to go through. */
export function serviceEndpoint(
  { namespace, name, port = 443 }: ServiceReference,
  lookup: ServiceLookup,
): string | undefined {
  const service = lookup.service(`${namespace}/${name}`);
  const servicePort = service?.spec?.ports?.find((candidate) => candidate.port === port);
  if (!servicePort) return undefined;
  for (const slice of lookup.slices(namespace)) {
    if (slice.metadata?.labels?.['kubernetes.io/service-name'] !== name) continue;
    const target = slice.ports?.find((candidate) => (candidate.name ?? '') === (servicePort.name ?? ''))?.port;
    const ready = (slice.endpoints ?? []).find(({ conditions }) => conditions?.ready !== false);
    if (target !== undefined && ready?.addresses[0]) return `https://${ready.addresses[0]}:${target}`;
  }
  return undefined;
}
