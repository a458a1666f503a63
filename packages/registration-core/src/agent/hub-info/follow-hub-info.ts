import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { HubEndpoint, HubInfo } from '../../contract/index.ts';
import { mergeBundles } from '../hub-endpoint/ca-bundle.ts';

/** What follows what a hub publishes about itself. */
export interface FollowHubInfoOptions {
  readonly read: () => Promise<HubInfo | undefined>;
  /** Where the bootstrap source leads now. */
  readonly bootstrap: () => Promise<HubEndpoint>;
  /** Called each time with what the hub publishes, and the CA bundle that the agent should trust from now on (base64 of PEM). */
  readonly onInfo: (info: HubInfo, caData: string | undefined) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const everyMs = 10 * 60_000;

/**
 * The CA bundle for a hub: that of the bootstrap source and what the hub itself publishes, so that a new CA is trusted before it
 * signs anything, and an old one no longer than either names it. While the bootstrap source cannot be read, the bundle in use takes its
 * place, and no CA is dropped. Undefined where the roots of the system are trusted.
 */
export function trustedBundle({ caData }: HubEndpoint, info: HubInfo | undefined): string | undefined {
  if (caData === undefined || info?.caData === undefined) return caData;
  return mergeBundles(caData, info.caData);
}

/** Reads what the hub publishes every ten minutes until the connection ends: the agent has no permission to watch it. */
export async function followHubInfo(options: FollowHubInfoOptions): Promise<void> {
  const { read, bootstrap, onInfo, clock, log, random, signal } = options;
  while (!signal.aborted) {
    try {
      const info = await read();
      await onInfo(info ?? {}, trustedBundle(await bootstrap(), info));
    } catch (error) {
      if (!signal.aborted) log.debug('cannot read what the hub says about itself', { error: KubeError.from(error) });
    }
    // Not all agents of a fleet at once.
    await clock.sleep(everyMs * (0.75 + random() / 2), signal).catch(() => undefined);
  }
}
