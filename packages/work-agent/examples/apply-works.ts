import { createKubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { createWorkAgent, hubHashOf } from '@flotilla/work-agent';

/** Applies the works that a hub has for the cluster `edge`, until the signal aborts. */
export async function applyWorks(hubConfig: string, clusterConfig: string, signal: AbortSignal): Promise<void> {
  const hubAccess = kubeconfigAccess({ files: hubConfig, clock: realClock });
  const clusterAccess = kubeconfigAccess({ files: clusterConfig, clock: realClock });
  const hub = createKubeClient({ access: hubAccess, fieldManager: 'work-agent' });
  const spoke = createKubeClient({ access: clusterAccess, fieldManager: 'work-agent' });
  const { server } = await hubAccess.current();
  const agent = createWorkAgent({ hub, spoke, clusterName: 'edge', hubHash: hubHashOf(server) });
  try {
    await agent.run(signal);
  } finally {
    await Promise.all([hub.close(), spoke.close()]);
    hubAccess.close();
    clusterAccess.close();
  }
}
