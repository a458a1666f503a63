import { isIP } from 'node:net';
import type { EndpointSlice, Endpoints, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { SystemObject } from './system-objects.ts';

/** Where the server listens. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

const name = 'kubernetes';
const namespace = 'default';
/** The first address of the range that services get theirs from. */
const clusterIP = '10.96.0.1';

/** The Service that programs in a cluster find its API server by, and what leads from there to this server. */
export function serviceObjects(address: ServerAddress | undefined): SystemObject[] {
  const key = `${namespace}/${name}`;
  const service: SystemObject = { storage: '/services', key, object: serviceOf(address?.port ?? 443) };
  if (!address) return [service];
  return [
    service,
    { storage: '/endpoints', key, object: endpointsOf(address) },
    { storage: 'discovery.k8s.io/endpointslices', key, object: endpointSliceOf(address) },
  ];
}

const serviceOf = (port: number): KubeObject => {
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP,
      clusterIPs: [clusterIP],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
    status: { loadBalancer: {} },
  };
  return service;
};

function endpointsOf({ ip, port }: ServerAddress): KubeObject {
  const endpoints: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { namespace, name, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  return endpoints;
}

function endpointSliceOf({ ip, port }: ServerAddress): KubeObject {
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace, name, generation: 1, labels: { 'kubernetes.io/service-name': name } },
    addressType: isIP(ip) === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return slice;
}
