import { LogReason } from '@flotilla/api-types';
import {
  type AccessSource,
  type Clock,
  createKubeClient,
  KubeError,
  type Logger,
  type Transport,
} from '@flotilla/kube';
import type { StoredCredentials } from '../../contract/index.ts';
import { storedEndpoint } from '../credentials/hub-kubeconfig.ts';
import { type BootstrapCheckOptions, checkBootstrap } from './bootstrap-check.ts';
import { tryingOrder } from './hub-choice.policy.ts';

/** Among what to choose. */
export interface HubChoiceOptions extends BootstrapCheckOptions {
  readonly bootstraps: readonly AccessSource[];
  readonly stored: StoredCredentials | undefined;
  /** Address of the hub that was left for cause. */
  readonly avoid: string | undefined;
  readonly connect: (access: AccessSource) => Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The first hub that a cluster could join, the one it is on before all others. Throws if there is none. */
export async function chooseHub(options: HubChoiceOptions): Promise<AccessSource> {
  const { bootstraps, stored, avoid, connect, clock, log, clusterName } = options;
  const candidates = await Promise.all(bootstraps.map(async (source) => ({ source, ...(await describe(source)) })));
  const preference = { stored: storedEndpoint(stored)?.server, avoid };
  for (const index of tryingOrder(candidates, preference)) {
    const candidate = candidates[index];
    if (!candidate) continue;
    const hub = createKubeClient({ transport: connect(candidate.source), clock, log });
    const offer = await checkBootstrap(hub, options);
    await hub.close();
    if (offer.kind === 'open') {
      log.info('chose a hub', { event: LogReason.BootstrapSelected, origin: candidate.origin });
      return candidate.source;
    }
    log.warn('this hub is not the one to join', { origin: candidate.origin, why: offer.message });
  }
  const origins = candidates.map(({ origin }) => origin).join(', ');
  throw new KubeError(
    'Unavailable',
    `no bootstrap kubeconfig in [${origins}] is available for managed cluster ${clusterName}`,
    { hint: 'The log says for each hub why; they are tried again.' },
  );
}

async function describe(source: AccessSource): Promise<{ server: string | undefined; origin: string }> {
  try {
    const { server, origin } = await source.current();
    return { server, origin };
  } catch (error) {
    return { server: undefined, origin: KubeError.from(error).message };
  }
}
