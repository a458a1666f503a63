import { managedClusters } from '@flotilla/api-types';
import {
  type CloudEventsClient,
  type CloudEventsClientOptions,
  createCloudEventsClient,
  createHubTransport,
  type HubAnnouncement,
} from '@flotilla/cloudevents';
import { type AccessSource, type KubeClient, KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import { type ConnectionState, type HubOffer, isDenied } from '@flotilla/registration-core/contract';
import type { BootstrapSettings, GrpcContext } from './bootstrap.ts';

/** How to open channels to the server. Default: by gRPC. */
export type OpenChannel = NonNullable<CloudEventsClientOptions['open']>;

/** What is notified about a connection. */
interface ConnectionHandlers {
  /** What the server says about its CA and its address. */
  readonly onAnnouncement?: (announcement: HubAnnouncement) => void;
  /** Once, with the client that the connection uses. */
  readonly onClient?: (client: CloudEventsClient) => void;
}

/** Connects to the gRPC server of a hub, and gives its API as this cluster may see it. */
export const connectHub =
  (
    { identity, clock, log, random }: Pick<GrpcContext, 'identity' | 'clock' | 'log' | 'random'>,
    settings: () => BootstrapSettings,
    open?: OpenChannel,
  ) =>
  (access: AccessSource, { onAnnouncement, onClient }: ConnectionHandlers = {}): Transport => {
    const heartbeatTimeoutMs = settings().config.serverHealthinessTimeoutMs;
    const client = createCloudEventsClient({
      access,
      clock,
      log,
      random,
      ...(heartbeatTimeoutMs && { heartbeatTimeoutMs }),
      ...(open && { open }),
    });
    onClient?.(client);
    const { clusterName } = identity;
    return createHubTransport({ client, clusterName, clock, log, random, ...(onAnnouncement && { onAnnouncement }) });
  };

/** Stored endpoints have the address as it is configured, without a scheme; with a certificate the connection is encrypted. */
export const encrypted = (access: AccessSource): AccessSource => ({
  ...access,
  async current() {
    const current = await access.current();
    return { ...current, server: `https://${current.server}` };
  },
});

const deadlineMs = 10_000;

/** Whether the hub accepts the agent now. Objects are read from what was received, so that reading one would not show it. */
export async function checkConnection({ transport }: KubeClient, signal: AbortSignal): Promise<ConnectionState> {
  try {
    await transport.request({ method: 'GET', path: '/readyz', signal, deadlineMs });
    return { connected: true };
  } catch (error) {
    const { code, message } = KubeError.from(error);
    const reason = code === 'Unauthorized' || code === 'Forbidden' ? code : 'Unavailable';
    return { connected: false, reason, message };
  }
}

/** Whether a cluster could join this hub. What its bootstrap user may do shows when it asks: reviews do not travel over gRPC. */
export async function checkBootstrap(hub: KubeClient, clusterName: string, signal: AbortSignal): Promise<HubOffer> {
  try {
    const cluster = await hub.resource(managedClusters).find(clusterName, { signal, deadlineMs });
    return cluster && isDenied(cluster) ? { kind: 'denied', message: 'hub does not accept client' } : { kind: 'open' };
  } catch (error) {
    return { kind: 'unavailable', message: KubeError.from(error).message };
  }
}
