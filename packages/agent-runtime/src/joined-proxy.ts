import { forwardingMember, runTunnel } from '@flotilla/cluster-proxy/agent';
import type { AccessSource, Clock, Logger } from '@flotilla/kube';
import { createForwarder } from '@flotilla/kube/transport';
import type { JoinedWork } from '@flotilla/registration-core/agent';

/** What users of the hub reach the cluster with. */
export interface ProxyInput {
  /** The managed cluster, as somebody who may impersonate on it. */
  readonly spoke: AccessSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Offers the API of the cluster to users of the hub while the cluster is joined to it. Only with the feature gate ClusterProxy. */
export const joinedProxy =
  ({ spoke, clock, log, env }: ProxyInput): JoinedWork =>
  async ({ identity: { clusterName }, connect }, signal) => {
    const connection = connect();
    const forwarder = createForwarder({ access: spoke, clock, log, ...(env && { env }), maxInFlight: 1000 });
    const child = log.child({ cluster: clusterName, part: 'cluster-proxy' });
    const input = { hub: connection.transport, clusterName, member: forwardingMember(forwarder), clock, log: child };
    try {
      await runTunnel(input, signal);
    } finally {
      await forwarder.close();
      await connection.close();
    }
  };

/** Runs parts of an agent beside one another. If one fails, the others end too. */
export const together =
  (...parts: readonly JoinedWork[]): JoinedWork =>
  async (hub, signal) => {
    const end = new AbortController();
    const both = AbortSignal.any([signal, end.signal]);
    const running = parts.map((part) => part(hub, both));
    try {
      await Promise.all(running);
    } finally {
      end.abort();
      await Promise.allSettled(running);
    }
  };
