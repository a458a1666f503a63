import { type Clock, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import type { HubEndpoint } from '../credentials/hub-kubeconfig.ts';
import { mergeBundles } from './ca-bundle.ts';
import { type PublishedHub, readPublishedHub } from './published-hub.ts';

/** What follows what a hub says about itself. */
export interface HubInfoOptions {
  readonly hub: KubeClient;
  /** Where the bootstrap access leads now. */
  readonly bootstrap: () => Promise<HubEndpoint>;
  /** Told each time what it says, and the CA bundle that the agent should trust from now on (base64 of PEM). */
  readonly onInfo: (published: PublishedHub, caData: string | undefined) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const everyMs = 10 * 60_000;

/**
 * The CA bundle for a hub: that of the bootstrap access and what the hub itself publishes, so that a new CA is trusted before it
 * signs anything, and an old one no longer than either names it. Undefined where the roots of the system are trusted.
 */
export function trustedBundle({ caData }: HubEndpoint, published: PublishedHub | 'absent'): string | undefined {
  if (caData === undefined || published === 'absent' || published.caData === undefined) return caData;
  return mergeBundles(caData, published.caData);
}

/** Looks again and again, and says what to trust, until the connection ends. */
export async function followHubInfo(options: HubInfoOptions): Promise<void> {
  const { hub, bootstrap, onInfo, clock, log, random, signal } = options;
  while (!signal.aborted) {
    try {
      const published = await readPublishedHub(hub, signal);
      await onInfo(published === 'absent' ? {} : published, trustedBundle(await bootstrap(), published));
    } catch (error) {
      if (!signal.aborted) log.debug('cannot read what the hub says about itself', { error: KubeError.from(error) });
    }
    // Not all agents of a fleet at once.
    await clock.sleep(everyMs * (0.75 + random() / 2), signal).catch(() => undefined);
  }
}
