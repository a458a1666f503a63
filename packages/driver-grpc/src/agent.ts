import { dirname } from 'node:path';
import { type ManagedCluster, MountPath, RegistrationDriverName } from '@flotilla/api-types';
import type { CloudEventsClient } from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import {
  certificateIssuer,
  clusterTemplate,
  expirationSecondsOf,
  storedCertificate,
} from '@flotilla/registration-core/certificates';
import { type AgentDriver, authTypeAnnotation, type HubInfo } from '@flotilla/registration-core/contract';
import { openConnection } from '@flotilla/registration-core/kube-hub';
import { ReplaySubject } from 'rxjs';
import { createAddonEndpoint } from './addons/addon-endpoint.ts';
import { addonIssuer } from './addons/addon-issuer.ts';
import { endpointAddress } from './addons/endpoint-address.ts';
import { type GrpcContext, grpcBootstrap } from './bootstrap.ts';
import { checkBootstrap, checkConnection, connectHub, encrypted, type OpenChannel } from './connection.ts';
import { signerName } from './rules.ts';
import { storedConfig } from './stored-config.ts';

/** Registers the cluster with certificates of the hub, and reaches the hub by its gRPC server only. */
export function createGrpcAgent(context: GrpcContext, openChannel?: OpenChannel): AgentDriver {
  const { identity, options } = context;
  const directory = options.grpcConfig ? dirname(options.grpcConfig) : MountPath.HubKubeconfigDirectory;
  const bootstrap = grpcBootstrap(context, (access) => connect(access));
  const connect = connectHub(context, bootstrap.settings, openChannel);
  /** Of the connection with the identity of the cluster. */
  let hub: CloudEventsClient | undefined;
  const addons = createAddonEndpoint({
    ...context,
    clusterName: identity.clusterName,
    address: endpointAddress(options),
    secret: context.secret('addon-endpoint'),
    async forward(head, forwarding) {
      if (!hub) throw new KubeError('Unavailable', 'the agent is not connected to the hub');
      return hub.forward(head, forwarding);
    },
  });
  return {
    ...certificateIssuer(context, {
      template: clusterTemplate(identity, signerName),
      expirationSeconds: expirationSecondsOf(options),
    }),
    ...storedConfig(directory, bootstrap.settings),
    bootstraps: [bootstrap.source],
    open(endpoint, stored) {
      const announcements = new ReplaySubject<HubInfo>(1);
      const connection = openConnection(
        (access) =>
          connect(encrypted(access), {
            onAnnouncement: (info) => announcements.next(info),
            onClient: (client) => {
              hub = client;
            },
          }),
        { current: storedCertificate },
        { endpoint, stored },
      );
      return { ...connection, announcements };
    },
    decorate: declareAuthType,
    checkBootstrap: (hub, signal) => checkBootstrap(hub, identity.clusterName, signal),
    checkConnection,
    addonEndpoint: (endpoint) => bootstrap.settings().kubeEndpoint ?? endpoint,
    addonIssuer: (addon, registration) => addonIssuer(addons, addon, registration),
    async close() {
      bootstrap.close();
      await addons.close();
    },
  };
}

const declareAuthType = (cluster: ManagedCluster): ManagedCluster => ({
  ...cluster,
  metadata: {
    ...cluster.metadata,
    annotations: { ...cluster.metadata?.annotations, [authTypeAnnotation]: RegistrationDriverName.Grpc },
  },
});
