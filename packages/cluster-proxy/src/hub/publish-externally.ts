import type { KubeClient } from '@flotilla/kube';
import { apiServices, namespaces, services } from '@flotilla/kube/kinds';
import { clusterProxyApiService, externalService } from '../api/api-service.ts';

/** Where the API server reaches a program that does not run in the cluster. */
export interface ExternalAddress {
  readonly namespace: string;
  readonly host: string;
  readonly port: number;
}

/** Writes the Service and the APIService for a program outside of the cluster, as on the machine of a hub without nodes. */
export async function publishExternally(client: KubeClient, { namespace, host, port }: ExternalAddress): Promise<void> {
  const options = { fieldManager: 'flotilla-cluster-proxy', force: true };
  await client.resource(namespaces).apply({ metadata: { name: namespace } }, options);
  await client.resource(services).apply(externalService(namespace, host), options);
  await client.resource(apiServices).apply(clusterProxyApiService(namespace, port), options);
}
