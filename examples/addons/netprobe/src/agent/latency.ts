import { connect } from 'node:net';
import type { Target } from '../targets.ts';

/** Milliseconds until an address accepts a connection; undefined if it does not within the limit. */
export const connectLatency = ({ host, port }: Target, limitMs: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const start = performance.now();
    const socket = connect({ host, port, timeout: limitMs });
    const end = (latency: number | undefined) => {
      socket.destroy();
      resolve(latency);
    };
    socket.once('connect', () => end(performance.now() - start));
    socket.once('timeout', () => end(undefined));
    socket.once('error', () => end(undefined));
  });
