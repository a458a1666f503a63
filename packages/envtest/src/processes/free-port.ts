import { once } from 'node:events';
import { createServer } from 'node:net';
import { EnvtestError } from '../errors.ts';

/**
 * Below the range from which Linux and macOS take the ports of outgoing connections: a server that a fault test stops
 * finds its port still free when it starts again.
 */
const range = { from: 20_000, to: 32_000 };

/** A port on 127.0.0.1 that is free now. Another process may take it before the caller does: be ready to retry. */
export async function findFreePort(random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = range.from + Math.floor(random() * (range.to - range.from));
    if (await isPortFree(port)) return port;
  }
  throw new EnvtestError('PortInUse', `found no free port between ${range.from} and ${range.to} in 100 attempts`);
}

/** Whether one can listen on the port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/**
 * Starts a server on a port of 127.0.0.1. Between our check and its bind another process may take the port: then the start
 * is tried on another one, or, for a port that was asked for, fails with `PortInUse`.
 */
export async function startOnPort(
  wanted: number | undefined,
  start: (port: number) => Promise<void>,
  findPort: () => Promise<number> = findFreePort,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted ?? (await findPort());
    try {
      return await start(port);
    } catch (cause) {
      if (attempt === 5 || (await isPortFree(port))) throw cause;
      if (wanted !== undefined) throw new EnvtestError('PortInUse', `port ${port} of 127.0.0.1 is taken`, { cause });
    }
  }
}
