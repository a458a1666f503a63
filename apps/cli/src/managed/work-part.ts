import { FieldManager } from '@flotilla/api-types';
import { type Clock, createKubeClient, type KubeClient, type Logger } from '@flotilla/kube';
import type { JoinedWork } from '@flotilla/registration-core/agent';
import { createWorkAgent, hubHashOf } from '@flotilla/work-agent';

/** The part of an agent that applies works: runs while the hub has let the cluster in. */
export const workPart =
  ({ managed, clock, log }: { managed: KubeClient; clock: Clock; log: Logger }): JoinedWork =>
  async ({ identity, access }, signal) => {
    const { clusterName } = identity;
    const { server } = await access.current();
    const fieldManager = FieldManager.WorkAgent;
    const hub = createKubeClient({ access, clock, log, fieldManager, userAgent: fieldManager });
    // Over the connection of the registration part, which closes it.
    const spoke = createKubeClient({ transport: managed.transport, clock, log, fieldManager });
    try {
      await createWorkAgent({ hub, spoke, clusterName, hubHash: hubHashOf(server), clock, log }).run(signal);
    } finally {
      await hub.close();
    }
  };
