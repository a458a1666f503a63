import { FieldManager } from '@flotilla/api-types';
import { type Clock, createKubeClient, type KubeClient, type Logger } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { JoinedWork } from '@flotilla/registration-core/agent';
import { createWorkAgent, hubHashOf, type WorkAgentOptions } from '@flotilla/work-agent';

/** What the works of a joined cluster are applied with. */
export interface WorkInput {
  /** The managed cluster. Works are applied over its connection, as the field manager of the work agent. */
  readonly spoke: KubeClient;
  /** What `--agent-id` says. Empty or absent: the hash of the hub. */
  readonly agentID?: string;
  readonly options?: WorkAgentOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}

/** Applies the works of a hub while the cluster is joined to it, over the connection that registration has opened. */
export const joinedWork =
  ({ spoke, agentID, options, clock, log, metrics }: WorkInput): JoinedWork =>
  async ({ identity: { clusterName, agentName }, server, announced, connect }, signal) => {
    const client = { clock, fieldManager: FieldManager.WorkAgent };
    const hub = createKubeClient({ ...client, transport: connect().transport, log: log.child({ client: 'hub' }) });
    const agent = createWorkAgent({
      hub,
      spoke: createKubeClient({ ...client, transport: spoke.transport, log }),
      clusterName,
      hubHash: hubHashOf(server),
      // Earlier versions took the announced address for another hub, and the name of the agent for its ID.
      formerHubHashes: announced === undefined ? [] : [hubHashOf(announced)],
      formerAgentIDs: [agentName],
      ...(agentID && { agentID }),
      ...(options && { options }),
      clock,
      log: log.child({ cluster: clusterName }),
      ...(metrics && { metrics }),
    });
    try {
      await agent.run(signal);
    } finally {
      await hub.close();
    }
  };
