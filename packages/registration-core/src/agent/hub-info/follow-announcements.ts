import { KubeError, type Logger } from '@flotilla/kube';
import { combineLatest, concatMap, fromEvent, lastValueFrom, type Observable, startWith, takeUntil } from 'rxjs';
import type { HubEndpoint, HubInfo } from '../../contract/index.ts';
import { trustedBundle } from './follow-hub-info.ts';

/** What follows what a hub announces over the connection. */
export interface FollowAnnouncementsOptions {
  readonly announcements: Observable<HubInfo>;
  /** Where the bootstrap source leads now. */
  readonly bootstrap: () => Promise<HubEndpoint>;
  /** Emits when that may be elsewhere. */
  readonly changes: Observable<void>;
  /** Called with each announcement, and the CA bundle that the agent should trust from now on (base64 of PEM). */
  readonly onInfo: (info: HubInfo, caData: string | undefined) => Promise<void>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Applies what the hub announces until the connection ends. A hub that announces nothing changes nothing. */
export async function followAnnouncements(options: FollowAnnouncementsOptions): Promise<void> {
  const { announcements, bootstrap, changes, onInfo, log, signal } = options;
  if (signal.aborted) return;
  const apply = async (info: HubInfo): Promise<void> => {
    try {
      await onInfo(info, trustedBundle(await bootstrap(), info));
    } catch (error) {
      if (!signal.aborted) log.warn('cannot use what the hub announced', { error: KubeError.from(error) });
    }
  };
  const steps = combineLatest([announcements, changes.pipe(startWith(undefined))]).pipe(
    concatMap(([info]) => apply(info)),
    takeUntil(fromEvent(signal, 'abort')),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
}
