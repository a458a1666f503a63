import { NamespaceName } from '@flotilla/api-types';
import { bootstrapObjects } from '../hub/bootstrap.ts';
import { clusterProxyAccess, clusterProxyDeployment, clusterProxyServing } from '../hub/cluster-proxy.ts';
import { controllerAccess, controllerDeployment } from '../hub/controllers.ts';
import { grpcCertificateAccess, grpcServerAccess, grpcServerDeployment, grpcService } from '../hub/grpc-server.ts';
import type { HubValues } from '../hub/hub-manifests.ts';
import { placementDebugAccess, placementDebugServer } from '../hub/placement-debug.ts';
import { pushAgentsAccess, pushAgentsDeployment } from '../hub/push-agents.ts';
import { webhookConfigurations } from '../hub/webhook-configurations.ts';
import { webhookServerAccess, webhookServerDeployment, webhookServices } from '../hub/webhook-server.ts';
import { metricsReader } from '../objects/metrics-reader.ts';
import { namespace } from '../objects/namespace.ts';
import type { ManifestFile } from './manifest-file.ts';

/** What a hub in a cluster is made of. */
export interface HubFileValues extends Pick<HubValues, 'drivers'> {
  readonly image: string;
}

/** The manifests that run a hub in a cluster. */
export const hubFiles = (values: HubFileValues): ManifestFile[] => [
  { name: 'namespace.yaml', comment: [], objects: [namespace(NamespaceName.Hub)] },
  {
    name: 'bootstrap.yaml',
    comment: ['New clusters until they have an identity of their own: they may request to join, and nothing else.'],
    objects: [namespace(NamespaceName.Operator), ...bootstrapObjects(values.drivers)],
  },
  {
    name: 'controller-rbac.yaml',
    comment: [
      'What the controllers may do: what they need themselves, and what they grant to clusters, because the API server permits no',
      'one to grant more than they have. Another kind in --gc-resource-list needs list, watch, delete and patch here.',
    ],
    objects: controllerAccess(values.drivers),
  },
  {
    name: 'controller.yaml',
    comment: ['One replica leads, the others wait for its lease.'],
    objects: [controllerDeployment(values)],
  },
  {
    name: 'webhook-rbac.yaml',
    comment: [
      'What the webhook server may do: review access, see whether a namespace is being deleted, and keep its certificate.',
    ],
    objects: webhookServerAccess(),
  },
  {
    name: 'webhook.yaml',
    comment: ['The services have the names of OCM, which has a server for each of them.'],
    objects: [...webhookServices(), webhookServerDeployment(values)],
  },
  {
    name: 'webhook-configurations.yaml',
    comment: ['What the API server asks the webhook server about. That server adds its CA.'],
    objects: webhookConfigurations('services'),
  },
  {
    name: 'metrics-reader.yaml',
    comment: ['Bind this to what scrapes the metrics of the hub, for example the service account of Prometheus.'],
    objects: [metricsReader()],
  },
];

/** The manifests that add the debug server of placements to it. */
export const placementDebugFiles = (values: Pick<HubFileValues, 'image'>): ManifestFile[] => [
  {
    name: 'rbac.yaml',
    comment: [
      'What the debug server may do: read the fleet, and ask the API server who its callers are. The role placement-debugger is for',
      'those callers; they also need create on placements in the namespace that they ask about.',
    ],
    objects: placementDebugAccess(),
  },
  {
    name: 'server.yaml',
    comment: ['Explains how placements are scheduled. It writes nothing.'],
    objects: placementDebugServer(values),
  },
];

/** The manifests that let clusters come by gRPC, beside those of the hub. */
export const grpcFiles = (values: Pick<HubFileValues, 'image'>): ManifestFile[] => [
  {
    name: 'grpc-server-rbac.yaml',
    comment: [
      'What the gRPC server may do: what agents may do by it, for any of them. It decides for each whether it may. And what the',
      'controllers need to keep its certificates: the server itself does not have the key that signs them.',
    ],
    objects: [...grpcServerAccess(), ...grpcCertificateAccess()],
  },
  {
    name: 'grpc-server.yaml',
    comment: ['All replicas serve. Expose the service by what passes TLS through: agents prove who they are by it.'],
    objects: [grpcService(), grpcServerDeployment(values)],
  },
  {
    name: 'controller.yaml',
    comment: [
      'The controllers with the driver grpc, in the place of those without. Name the host by which clusters reach the server in',
      '--grpc-server-hosts.',
    ],
    objects: [
      controllerDeployment({
        ...values,
        flags: ['--enabled-registration-drivers=csr,grpc', '--grpc-server-hosts=grpc.example.com'],
      }),
    ],
  },
];

/** The manifests that let users reach clusters through the hub, beside those of the hub. */
export const clusterProxyFiles = (values: Pick<HubFileValues, 'image'>): ManifestFile[] => [
  {
    name: 'rbac.yaml',
    comment: [
      'What the program may do that serves the API of clusters, and the roles for those who use it: bind cluster-proxy-user to users',
      'and groups of the hub. Who they are on a cluster, and what they may do there, is decided by the roles of the cluster.',
    ],
    objects: clusterProxyAccess(),
  },
  {
    name: 'server.yaml',
    comment: ['All replicas serve. The program adds its CA to the APIService.'],
    objects: [...clusterProxyServing(), clusterProxyDeployment(values)],
  },
];

/** The manifests that let the hub reach clusters itself, beside those of the hub. */
export const pushFiles = (values: Pick<HubFileValues, 'image'>): ManifestFile[] => [
  {
    name: 'rbac.yaml',
    comment: [
      'What the agents of pushed clusters may do on the hub. Of Secrets they see those with the access to members, and no others.',
      'What they may do on a member is granted there, by `flotilla join --push`.',
    ],
    objects: pushAgentsAccess(),
  },
  {
    name: 'push-agents.yaml',
    comment: ['All replicas work: they divide the clusters among them, and take over from one that ends.'],
    objects: [pushAgentsDeployment(values)],
  },
];
