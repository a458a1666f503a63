import { Duplex } from 'node:stream';

/**
 * The same bytes without the handle of the socket. Node's HTTP/2 takes over the handle of a socket, and aborts the process if that has
 * still something to write, as the answer that switched its protocol.
 */
export function wrappedStream(inner: Duplex): Duplex {
  const outer = new Duplex({
    read: () => void inner.resume(),
    write: (chunk, encoding, done) => void inner.write(chunk, encoding, done),
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
