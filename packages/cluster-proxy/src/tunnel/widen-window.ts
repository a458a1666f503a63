import type { Http2Session } from 'node:http2';
import { tunnelLimits } from '../limits.ts';

/** Lets all bodies of a session together have so much under way, from when it is connected. */
export function widenWindow(session: Http2Session): void {
  session.once('connect', () => {
    // Whoever opened it may have given it up already.
    if (!session.destroyed) session.setLocalWindowSize(tunnelLimits.sessionWindowBytes);
  });
}
