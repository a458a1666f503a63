import type { Writable } from 'node:stream';

/** Resolves when a stream that is full has room again, or will never have. */
export const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    const events = ['drain', 'close', 'error', 'cancelled'];
    if (stream.destroyed) return resolve();
    for (const event of events) stream.on(event, done);
  });
