import type { Http2Session } from 'node:http2';

/** How many bytes of one body may be under way: what a request gets in one round trip to the cluster. */
export const streamWindow = 1024 * 1024;

/** How many bytes of all bodies together may be under way. The protocol's default is 64 KiB for all users of a cluster. */
const sessionWindow = 8 * 1024 * 1024;

/** How many bytes may wait for a side that does not read: the bodies that may be under way, and frames without a body. */
export const maxUnsentBytes = 2 * sessionWindow;

/** Lets all bodies of a session together have so much under way, from when it is connected. */
export function widenWindow(session: Http2Session): void {
  session.once('connect', () => {
    // Whoever opened it may have given it up already.
    if (!session.destroyed) session.setLocalWindowSize(sessionWindow);
  });
}
