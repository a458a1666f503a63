import {
  type CloudEvent,
  type CloudEventsClient,
  createCloudEventsClient,
  createResyncRequest,
  dataTypes,
} from '@flotilla/cloudevents';
import { realClock, staticAccess } from '@flotilla/kube';
import { issueCertificate } from '@flotilla/kube/pki';
import type { Contest, RunningServer } from './contestants.ts';

/** Agents that hold the streams of an agent of OCM, and do nothing else. */
export interface IdleAgents extends AsyncDisposable {
  /** Connects more of them; resolves when all streams are open and what they asked for has been answered. */
  connect(names: readonly string[]): Promise<void>;
  /** Receives the events of a cluster. */
  onEvent(listener: (clusterName: string, event: CloudEvent) => void): void;
}

/** What the agents of a cluster subscribe to, without add-ons, of which OCM v1.2.1 serves another version. */
const subscribed = [
  dataTypes.managedClusters,
  dataTypes.certificateSigningRequests,
  dataTypes.leases,
  dataTypes.manifestBundles,
];

/** No agents yet. */
export function idleAgents({ authority }: Contest, { port }: RunningServer): IdleAgents {
  const clients: CloudEventsClient[] = [];
  let listener = (_clusterName: string, _event: CloudEvent) => {};
  const connect = async (clusterName: string) => {
    const group = `system:open-cluster-management:${clusterName}`;
    const groups = [group, 'system:open-cluster-management:managed-clusters'];
    const request = { usage: 'client', name: `${group}:agent`, groups } as const;
    const clientCertificate = await issueCertificate(authority, request, realClock);
    const access = {
      server: `https://localhost:${port}`,
      ca: authority.certificate,
      clientCertificate,
      origin: 'bench',
    };
    const client = createCloudEventsClient({ access: staticAccess(access) });
    clients.push(client);
    await Promise.all(
      subscribed.map(async (dataType) => {
        await new Promise<void>((onSubscribed) =>
          client.subscribe(
            { clusterName, dataType },
            { onSubscribed, onEvent: (event) => listener(clusterName, event) },
          ),
        );
        const origin = { source: clusterName, now: realClock.now() };
        await client.publish(createResyncRequest(origin, dataType, { clusterName, known: new Map() }));
      }),
    );
  };
  return {
    async connect(names) {
      await Promise.all(names.map(connect));
    },
    onEvent: (next) => {
      listener = next;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
