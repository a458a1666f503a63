import type { Clock, Logger } from '@flotilla/kube';
import type { ControlPlanePki } from './control-plane-pki.ts';

const checkMs = 12 * 60 * 60 * 1000;
const retryMs = 10 * 60 * 1000;

export interface RenewalOptions {
  readonly pki: Pick<ControlPlanePki, 'renew'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Puts new certificates to use: called after a renewal, and again until it succeeds. */
  readonly publish: () => Promise<void> | void;
}

/** Checks twice a day whether a certificate ends soon, until the returned function is called. What fails is logged and tried again. */
export function renewRegularly({ pki, clock, log, publish }: RenewalOptions): () => void {
  let stopped = false;
  let unpublished = false;
  let cancel = () => {};
  const check = async (): Promise<void> => {
    if (await pki.renew()) unpublished = true;
    if (!unpublished || stopped) return;
    await publish();
    unpublished = false;
    log.info('the certificates of the control plane were renewed');
  };
  const next = (delayMs: number): void => {
    if (stopped) return;
    cancel = clock.schedule(delayMs, () => {
      check().then(
        () => next(checkMs),
        (error: unknown) => {
          log.error('the certificates of the control plane could not be renewed', { error });
          next(retryMs);
        },
      );
    });
  };
  next(checkMs);
  return () => {
    stopped = true;
    cancel();
  };
}
