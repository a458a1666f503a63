import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** The far end of a chain of proxies between a cluster and its hub. */
export interface FarProxy extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** The targets that it was asked for, `host:port`. */
  readonly targets: readonly string[];
}

/**
 * Starts a proxy for CONNECT that takes whatever host it is asked for as this machine. A hub under a name that only this
 * proxy knows can be reached by nobody who goes past it, or past the proxy that has it as its upstream.
 */
export async function startFarProxy(): Promise<FarProxy> {
  const sockets = new Set<Socket>();
  const targets: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, near: Socket, head) => {
    targets.push(url);
    const far = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) far.write(head);
      near.pipe(far).pipe(near);
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
