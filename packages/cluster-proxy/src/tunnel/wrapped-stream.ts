import { Duplex } from 'node:stream';
import { tunnelLimits } from '../limits.ts';

/**
 * The same bytes without the handle of the socket. Node's HTTP/2 takes over the handle of a socket, and aborts the process if that has
 * still something to write, as the answer that switched its protocol.
 *
 * Node's HTTP/2 reads nothing while a write is under way. With a write under way on each side, both would wait for the other one for ever,
 * so a write is done here once it is accepted. The windows of HTTP/2 bound what is accepted and not yet sent.
 */
export function wrappedStream(inner: Duplex): Duplex {
  const outer = new Duplex({
    read: () => void inner.resume(),
    write(chunk, encoding, done) {
      inner.write(chunk, encoding);
      // Frames without a body, such as answers to pings, have no window.
      const isFull = inner.writableLength > tunnelLimits.maxUnsentBytes;
      done(isFull ? new Error(`the other side of the tunnel left ${inner.writableLength} bytes unread`) : null);
    },
    final: (done) => void inner.end(done),
    destroy(error, done) {
      inner.destroy();
      done(error);
    },
  });
  inner.on('data', (chunk) => {
    if (!outer.push(chunk)) inner.pause();
  });
  inner.on('end', () => outer.push(null));
  // HTTP/2 has no use for a connection that is open in one direction, and Node throws if it writes while that shuts down.
  outer.on('end', () => outer.destroy());
  inner.on('error', (error) => outer.destroy(error));
  inner.on('close', () => outer.destroy());
  return outer;
}
