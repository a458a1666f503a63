import type { Server, Socket } from 'node:net';

/**
 * Follows the connections of a server from their beginning; to be called before it listens. Node's `closeAllConnections` leaves those whose TLS
 * handshake is not over, and a server that closes would wait for whoever sends nothing.
 */
export function openConnections(server: Server): { destroy(): void } {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    destroy() {
      for (const socket of open) socket.destroy();
    },
  };
}
