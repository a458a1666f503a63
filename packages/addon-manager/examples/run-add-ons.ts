import { createAddonManager } from '@flotilla/addon-manager';
import { createInformers, type KubeClient, realClock, runControllers } from '@flotilla/kube';

/** Installs and configures the add-ons of a hub until the signal aborts. */
export async function runAddOns(client: KubeClient, signal: AbortSignal): Promise<void> {
  using informers = createInformers({ client });
  const { controllers } = createAddonManager({ informers, clock: realClock });
  await runControllers(controllers, { signal });
}
