import { NamespaceName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import type { Manifests } from '../manifests.ts';
import { metricsReader } from '../objects/metrics-reader.ts';
import { namespace } from '../objects/namespace.ts';
import { type ProgramValues, programOptions } from '../objects/program-options.ts';
import { bootstrapObjects } from './bootstrap.ts';
import { clusterInfo, type HubAddress } from './cluster-info.ts';
import { type ClusterManagerValues, clusterManager } from './cluster-manager.ts';
import { controllerAccess, hubOptionsKey, type RegistrationDrivers } from './controllers.ts';
import { hubDefinitions } from './definitions.ts';
import { grpcCertificateAccess, grpcServerAccess } from './grpc-server.ts';
import { hubGuards } from './guards.ts';
import type { WebhookAddress } from './webhook-configurations.ts';
import { webhookServerAccess } from './webhook-server.ts';

/** What a hub is installed with. */
export interface HubValues {
  /** The auth types by which clusters may register: their rights become those of the controllers and of new clusters. */
  readonly drivers: RegistrationDrivers;
  /** Whether clusters may come by gRPC: the rights of the gRPC server, and to keep its certificates. */
  readonly grpc?: boolean;
  /** The webhook server that guards the hub; without it admission policies do. */
  readonly webhooks?: WebhookAddress;
  /** What to publish in `kube-public/cluster-info`; nothing on a cluster that has one of its own. */
  readonly clusterInfo?: HubAddress;
  /** What the ClusterManager records; without it none is written. */
  readonly clusterManager?: ClusterManagerValues;
  /** How the programs of the hub run. */
  readonly programs?: ProgramValues;
}

/** The namespaces of a hub. */
export const hubNamespaces = (): KubeObject[] => [namespace(NamespaceName.Operator), namespace(NamespaceName.Hub)];

/** As whom the programs of the hub run in the cluster, with the rights that they need and no others. */
export const hubAccess = (drivers: RegistrationDrivers, programs?: ProgramValues): KubeObject[] => [
  ...controllerAccess(drivers, programs),
  ...webhookServerAccess(),
  metricsReader(),
];

/** As whom the gRPC server runs, and what its certificates need. */
export const grpcAccess = (): KubeObject[] => [...grpcServerAccess(), ...grpcCertificateAccess()];

/** The objects of a hub without those that guard it: a webhook server is installed after the hub that it needs. */
export const hubObjects = (values: Omit<HubValues, 'webhooks'>): KubeObject[] => {
  const { drivers, grpc, clusterInfo: published, clusterManager: recorded, programs } = values;
  return [
    ...hubNamespaces(),
    ...bootstrapObjects(drivers),
    ...hubAccess(drivers, programs),
    ...(grpc ? grpcAccess() : []),
    ...(programs ? [programOptions(hubOptionsKey, programs)] : []),
    ...(recorded ? [clusterManager(recorded)] : []),
    ...(published ? [clusterInfo(published)] : []),
  ];
};

/** All that makes a cluster a hub. */
export const hubManifests = async (values: HubValues): Promise<Manifests> => ({
  definitions: await hubDefinitions(values.webhooks),
  objects: [...hubObjects(values), ...hubGuards(values.webhooks)],
});
