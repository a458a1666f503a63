import { isIP } from 'node:net';
import { ClusterProxyApi, Label, ServiceName } from '@flotilla/api-types';
import { clusterProxyApiService } from '@flotilla/cluster-proxy/api';
import type { APIService, EndpointSlice, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { ExternalAddress, OperatedHub, WebhookServerName } from './operated-hub.ts';
import { clusterProxyPort } from './own-programs.ts';
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

/** A server that the API server of the hub calls. */
interface CalledServer {
  readonly metadata: { readonly name: string; readonly namespace: string };
  /** Label `app` of its pods. */
  readonly app: string;
  readonly port: number;
  readonly targetPort: number;
  /** Where it is, if its pods are on another cluster. */
  readonly external: ExternalAddress | undefined;
}

/** How the API server of the hub finds a server: pods of this cluster, or an address of another one. */
function calledService({ metadata, app, port, targetPort, external }: CalledServer): KubeObject[] {
  const service = (spec: Service['spec']): Service => ({ apiVersion: 'v1', kind: 'Service', metadata, spec });
  if (!external) return [service({ selector: { [Label.App]: app }, ports: [{ port, targetPort, protocol: 'TCP' }] })];
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

/** What the API server of the hub calls for its webhooks. In hosted mode one without an address has none. */
export function webhookServiceObjects(hub: OperatedHub, server: WebhookServerName): KubeObject[] {
  const { external } = hub.webhooks[server];
  if (hub.hosted && !external) return [];
  const metadata = { name: webhookService[server], namespace: hub.namespace };
  const port = webhookPort(hub, server);
  return calledService({ metadata, app: `${hub.name}-${server}-webhook`, port, targetPort: port, external });
}

/** The port of the Service of the API by which clusters are reached. */
const proxyServicePort = ({ clusterProxy }: OperatedHub): number => clusterProxy?.external?.port ?? 443;

/** What the API server of the hub calls when users reach clusters. */
export const clusterProxyServices = (hub: OperatedHub): KubeObject[] =>
  calledService({
    metadata: { name: ClusterProxyApi.service, namespace: hub.namespace },
    app: ClusterProxyApi.service,
    port: proxyServicePort(hub),
    targetPort: clusterProxyPort,
    external: hub.clusterProxy?.external,
  });

/** The APIs that programs of the hub serve to its API server. `caBundle` is base64 of PEM. */
export function operatedApiServices(hub: OperatedHub, caBundle: string): APIService[] {
  if (!hub.clusterProxy) return [];
  const one = clusterProxyApiService(hub.namespace, proxyServicePort(hub));
  return [{ ...one, spec: { ...(one.spec as NonNullable<APIService['spec']>), caBundle } }];
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
