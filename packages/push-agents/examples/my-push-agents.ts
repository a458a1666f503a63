import { createKubeClient, kubeconfigAccess, realClock, stderrLogger } from '@flotilla/kube';
import { runPushAgents } from '@flotilla/push-agents';

/** Runs the agents of all clusters that this hub reaches itself, until the signal aborts. */
export async function pushFrom(hubConfig: string, signal: AbortSignal): Promise<void> {
  const access = kubeconfigAccess({ files: hubConfig, clock: realClock });
  await using client = createKubeClient({ access, fieldManager: 'my-push-agents' });
  try {
    await runPushAgents({
      client,
      identity: 'the-only-replica',
      addonDrivers: [],
      signal,
      clock: realClock,
      log: stderrLogger,
    });
  } finally {
    access.close();
  }
}
