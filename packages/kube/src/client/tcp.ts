import { connect, type Socket } from 'node:net';
import { bareHost, portOf } from './proxy-for.ts';

/** After 15 s of silence the kernel asks ten times, a second apart: an HTTP/1.1 watch on a dead link ends within 30 s. */
const keepAliveMs = 15_000;

/** Opens a TCP connection to the host and port of a URL. */
export function openTcp(server: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: bareHost(server),
      port: portOf(server),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    });
    const abort = () => socket.destroy(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
