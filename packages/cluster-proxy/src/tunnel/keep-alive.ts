import type { Http2Session } from 'node:http2';
import type { Clock } from '@flotilla/kube';
import { tunnelLimits } from '../limits.ts';

const { pingEveryMs, pingTimeoutMs } = tunnelLimits;

/** Asks the other side for a sign of life until the session ends, and ends one that gives none. */
export function keepAlive(session: Http2Session, clock: Clock): void {
  let cancel: () => void = () => undefined;
  const next = () => {
    cancel = clock.schedule(pingEveryMs, () => {
      if (session.destroyed) return;
      cancel = clock.schedule(pingTimeoutMs, () =>
        session.destroy(new Error('the other side of the tunnel is silent')),
      );
      session.ping((error) => {
        cancel();
        if (!error && !session.destroyed) next();
      });
    });
  };
  session.once('close', () => cancel());
  next();
}
