import { Duplex } from 'node:stream';
import { frameParts } from './frames.ts';
import { type TunnelFrame, tunnelData } from './tunnel-frames.ts';

/** Either side of a call that carries frames in both directions. */
export interface FrameCall extends NodeJS.EventEmitter {
  write(frame: TunnelFrame, done?: (error?: Error | null) => void): boolean;
  end(): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** What is read of a call: first one frame, then bytes. */
export interface TunnelStream {
  /** Rejects if the call ends before. */
  readonly first: Promise<TunnelFrame>;
  /** The bytes after it. Each side waits while the other is full. */
  readonly stream: Duplex;
}

/** The bytes of a call. `cancel` ends it when the stream is destroyed. */
export function tunnelStream(call: FrameCall, cancel: () => void): TunnelStream {
  const { promise: first, resolve, reject } = Promise.withResolvers<TunnelFrame>();
  let isOpen = false;
  const stream = new Duplex({
    read: () => void call.resume(),
    write(chunk: Buffer, _encoding, done) {
      const parts = [...frameParts(chunk)];
      if (parts.length === 0) return done();
      for (const part of parts.slice(0, -1)) call.write(tunnelData(part));
      call.write(tunnelData(parts.at(-1) ?? chunk), done);
    },
    final(done) {
      call.end();
      done();
    },
    destroy(error, done) {
      reject(error ?? new Error('the call was ended before it began'));
      cancel();
      done(error);
    },
  });
  call.on('data', (frame: TunnelFrame) => {
    if (!isOpen) {
      isOpen = true;
      resolve(frame);
    } else if (!stream.push(frame.data)) call.pause();
  });
  call.on('end', () => {
    reject(new Error('the call has ended before it began'));
    stream.push(null);
  });
  call.on('error', (error: Error) => {
    reject(error);
    stream.destroy();
  });
  call.on('cancelled', () => stream.destroy());
  // Whoever waits for it finds the error; a stream that nobody waits for ends by itself.
  first.catch(() => undefined);
  stream.on('error', () => undefined);
  return { first, stream };
}
