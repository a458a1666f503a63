import type { Http2Session } from 'node:http2';
import type { Clock } from '@flotilla/kube';

/** Often enough for load balancers that drop idle connections after a minute. */
const pingEveryMs = 15_000;
const pingTimeoutMs = 10_000;

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
