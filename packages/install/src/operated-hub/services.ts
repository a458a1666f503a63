import { isIP } from 'node:net';
import { Label, ServiceName } from '@flotilla/api-types';
import type { EndpointSlice, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { OperatedHub, WebhookServerName } from './operated-hub.ts';
import { debugPort, grpcPort } from './programs.ts';

/** OCM's services of the webhook servers, whatever the ClusterManager is called. */
export const webhookService: Readonly<Record<WebhookServerName, string>> = {
  registration: ServiceName.RegistrationWebhook,
  work: ServiceName.WorkWebhook,
  addon: ServiceName.AddOnWebhook,
};

/** The port by which the API server of the hub reaches a webhook server. */
export const webhookPort = ({ webhooks }: OperatedHub, server: WebhookServerName): number =>
  webhooks[server].external?.port ?? webhooks[server].port;

/** What the API server of the hub calls: pods of this cluster, or an address of another one. */
export function webhookServiceObjects(hub: OperatedHub, server: WebhookServerName): KubeObject[] {
  const metadata = { name: webhookService[server], namespace: hub.namespace };
  const service = (spec: Service['spec']): Service => ({ apiVersion: 'v1', kind: 'Service', metadata, spec });
  const port = webhookPort(hub, server);
  const { external } = hub.webhooks[server];
  if (!external) {
    if (hub.hosted) return [];
    const selector = { [Label.App]: `${hub.name}-${server}-webhook` };
    return [service({ selector, ports: [{ port, targetPort: port, protocol: 'TCP' }] })];
  }
  const ports = [{ name: 'tls', port, targetPort: port, protocol: 'TCP' }];
  if (isIP(external.address) === 0) return [service({ type: 'ExternalName', externalName: external.address, ports })];
  // Endpoints, which OCM makes, are deprecated and copied to such a slice by a controller that not every cluster runs.
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: isIP(external.address) === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [external.address] }],
    ports: [{ name: 'tls', port, protocol: 'TCP' }],
  };
  return [service({ type: 'ClusterIP', ports }), slice];
}

/** Where agents reach the gRPC server. TLS ends in the server: what exposes it passes it through. */
export const grpcServiceOf = (hub: OperatedHub): Service => {
  const name = ServiceName.GrpcServer.of({ clusterManager: hub.name });
  const isBalanced = hub.grpc?.serviceType === 'LoadBalancer';
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: hub.namespace },
    spec: {
      type: isBalanced ? 'LoadBalancer' : 'ClusterIP',
      selector: { [Label.App]: name },
      ports: [{ name: 'grpc', port: isBalanced ? 443 : grpcPort, targetPort: grpcPort, protocol: 'TCP' }],
    },
  };
};

/** Where users ask how placements are scheduled. */
export const placementServiceOf = (hub: OperatedHub, app: string): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: ServiceName.PlacementDebugServer.of({ clusterManager: hub.name }), namespace: hub.namespace },
  spec: {
    selector: { [Label.App]: app },
    ports: [{ name: 'debug', port: debugPort, targetPort: debugPort, protocol: 'TCP' }],
  },
});
