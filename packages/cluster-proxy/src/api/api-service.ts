import { ClusterProxyApi } from '@flotilla/api-types';
import type { APIService, Service } from '@flotilla/kube/kinds';

const { group, version, apiService, service: name } = ClusterProxyApi;

/** Where the API server of the hub finds this API: the port of a Service. Its CA is put in by the program that serves it. */
export const clusterProxyApiService = (namespace: string, port: number): APIService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: apiService },
  spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100, service: { namespace, name, port } },
});

/** A Service for a program outside of the cluster, such as one on the machine of a hub without nodes. */
export const externalService = (namespace: string, host: string): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { type: 'ExternalName', externalName: host },
});
