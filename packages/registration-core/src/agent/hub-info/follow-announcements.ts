import { KubeError, type Logger } from '@flotilla/kube';
import { combineLatest, fromEvent, lastValueFrom, Observable, startWith, switchMap, takeUntil } from 'rxjs';
import type { HubEndpoint, HubInfo } from '../../contract/index.ts';
import { trustedBundle } from './follow-hub-info.ts';

/** What follows what a hub announces over the connection. */
export interface FollowAnnouncementsOptions {
  readonly announcements: Observable<HubInfo>;
  /** Where the bootstrap source leads now. */
  readonly bootstrap: () => Promise<HubEndpoint>;
  /** Emits when that may be elsewhere. */
  readonly changes: Observable<void>;
  /** Called with each announcement, and the CA bundle that the agent should trust from now on (base64 of PEM). Aborted by the next. */
  readonly onInfo: (info: HubInfo, caData: string | undefined, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Applies what the hub announces until the connection ends. A hub that announces nothing changes nothing. The newest announcement does
 * not wait for earlier ones.
 */
export async function followAnnouncements(options: FollowAnnouncementsOptions): Promise<void> {
  const { announcements, bootstrap, changes, onInfo, log, signal } = options;
  if (signal.aborted) return;
  const apply = async (info: HubInfo, replaced: AbortSignal): Promise<void> => {
    try {
      const caData = trustedBundle(await bootstrap(), info);
      if (!replaced.aborted) await onInfo(info, caData, replaced);
    } catch (error) {
      if (!replaced.aborted) log.warn('cannot use what the hub announced', { error: KubeError.from(error) });
    }
  };
  const steps = combineLatest([announcements, changes.pipe(startWith(undefined))]).pipe(
    switchMap(([info]) => abortable((replaced) => apply(info, AbortSignal.any([signal, replaced])))),
    takeUntil(fromEvent(signal, 'abort')),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
}

/** Runs a step until it ends, and aborts it when nobody waits for it any more. */
const abortable = (step: (signal: AbortSignal) => Promise<void>): Observable<void> =>
  new Observable((subscriber) => {
    const end = new AbortController();
    void step(end.signal).finally(() => subscriber.complete());
    return () => end.abort();
  });
