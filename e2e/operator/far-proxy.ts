import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy between a cluster and its hub. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** The targets that it was asked for, `host:port`. */
  readonly targets: readonly string[];
}

/**
 * Starts a proxy that knows CONNECT, as tinyproxy and squid do. It is no Debian package, because the suites install nothing
 * on their machine. Whatever host is asked for is this machine: names that only the proxy knows show that nobody goes past it.
 */
export async function startConnectProxy(): Promise<ConnectProxy> {
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
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
