import { KubeError } from '@flotilla/kube';
import type { APIService, EndpointSlice, Service } from '@flotilla/kube/kinds';
import type { Storage } from '../contracts/storage.ts';
import type { ServiceResolver } from '../contracts/webhook-caller.ts';

/** Where an aggregated API server listens, and the name that its certificate must have. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

const slices = 'discovery.k8s.io/endpointslices';

/** By the resolver of the user, by the name of an ExternalName Service, or by an endpoint that is ready. */
export function addressOf(storage: Storage, resolve: ServiceResolver, { spec }: APIService): ServiceAddress {
  const { namespace = '', name = '', port = 443 } = spec?.service ?? {};
  const serverName = `${name}.${namespace}.svc`;
  const resolved = resolve({ namespace, name, port });
  if (resolved !== undefined) {
    const { hostname, port: found } = new URL(resolved);
    return { host: hostname, port: Number(found || 443), serverName };
  }
  const service: Service | undefined = storage.get('/services', `${namespace}/${name}`);
  if (service?.spec?.type === 'ExternalName') return { host: service.spec.externalName ?? '', port, serverName };
  const endpoint = service && endpointOf(storage, service, port);
  if (endpoint) return { ...endpoint, serverName };
  throw new KubeError('Unavailable', `service "${namespace}/${name}" has no endpoint on port ${port}`, {
    hint: 'There is no cluster network: use a Service of type ExternalName, or an EndpointSlice with a reachable address.',
  });
}

function endpointOf(storage: Storage, service: Service, port: number): { host: string; port: number } | undefined {
  const { namespace = '', name = '' } = service.metadata ?? {};
  const portName = service.spec?.ports?.find((one) => one.port === port)?.name ?? '';
  const found = (storage.list(slices, namespace) as readonly EndpointSlice[]).filter(
    ({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === name,
  );
  for (const { endpoints = [], ports = [] } of found) {
    const target = ports?.find((one) => (one.name ?? '') === portName)?.port;
    const [host] = endpoints?.find(({ conditions }) => conditions?.ready !== false)?.addresses ?? [];
    if (host !== undefined && target !== undefined) return { host, port: target };
  }
  return undefined;
}
