import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@flotilla/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import type { PodRuntime } from '../pods/pod-runtime.ts';
import type { ProcessHost } from '../processes/container-process.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { exec } from '../streams/exec.ts';
import { PortForwarding } from '../streams/port-forward.ts';

const execProtocol = 'v5.channel.k8s.io';
/** SPDY in the messages of a WebSocket: what kubectl and the API server forward ports by. */
const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

export interface UpgradesOptions {
  readonly find: (key: string) => PodRuntime | undefined;
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A stream of bytes or messages that the client and a pod are connected by. */
type Serve = (socket: WebSocket) => void;

/** Serves `exec` by WebSocket, and `portForward` by SPDY or SPDY in a WebSocket. Answers false for what it does not serve. */
export function kubeletUpgrades({ find, host, clock, log }: UpgradesOptions) {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => execProtocol, clientTracking: true });
  // The library refuses protocols with a slash, which RFC 6455 does not allow: it is offered none, and the answer is added.
  const tunnels = new WeakSet<IncomingMessage>();
  sockets.on('headers', (headers, request) => {
    if (tunnels.has(request)) headers.push(`Sec-WebSocket-Protocol: ${tunnelProtocol}`);
  });
  const upgradeSocket = (request: IncomingMessage, socket: Duplex, head: Buffer, serve: Serve): true => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', (error) => log.debug('a stream of a pod failed', { error }));
      serve(webSocket);
    });
    return true;
  };
  const execServer = (url: URL, runtime: PodRuntime, containerName: string | undefined): Serve | undefined => {
    const process = runtime.all.find(({ container }) => container.name === containerName)?.process;
    if (!process) return undefined;
    const wants = (stream: string) => ['1', 'true'].includes(url.searchParams.get(stream) ?? '');
    const streams = { stdin: wants('input'), stdout: wants('output'), stderr: wants('error') };
    return (socket) => exec(host, process, url.searchParams.getAll('command'), streams, socket);
  };
  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
      const url = new URL(request.url ?? '/', 'https://kubelet');
      const [, what, namespace, name, ...rest] = url.pathname.split('/').map(decodeURIComponent);
      const runtime = find(`${namespace}/${name}`);
      if (!runtime) return false;
      const { upgrade = '', 'sec-websocket-protocol': protocols = '' } = request.headers;
      const offered = protocols.split(',').map((text) => text.trim());
      if (what === 'exec' && offered.includes(execProtocol)) {
        const serve = execServer(url, runtime, rest.at(-1));
        return serve !== undefined && upgradeSocket(request, socket, head, serve);
      }
      if (what !== 'portForward') return false;
      const forwarding = new PortForwarding(runtime.podIP, clock);
      if (offered.includes(tunnelProtocol)) {
        delete request.headers['sec-websocket-protocol'];
        tunnels.add(request);
        return upgradeSocket(request, socket, head, (webSocket) => tunnel(webSocket, forwarding, log));
      }
      if (upgrade.toUpperCase() !== 'SPDY/3.1') return false;
      speakSpdy(socket, head, forwarding);
      return true;
    },
    close(): void {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

/** SPDY on the connection itself, as API servers before 1.36 ask for it. */
function speakSpdy(socket: Duplex, head: Buffer, forwarding: PortForwarding): void {
  const lines = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: portforward.k8s.io'];
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  const connection = new SpdyConnection(
    (frame) => void (socket.writable && socket.write(frame)),
    (stream) => forwarding.accept(stream),
  );
  const receive = (bytes: Buffer) => connection.receive(bytes).catch(() => socket.destroy());
  if (head.length > 0) void receive(head);
  socket.on('data', (bytes: Buffer) => void receive(bytes));
  socket.once('close', () => connection.close());
}

function tunnel(socket: WebSocket, forwarding: PortForwarding, log: Logger): void {
  const connection = new SpdyConnection(
    (frame) => void (socket.readyState === socket.OPEN && socket.send(frame)),
    (stream) => forwarding.accept(stream),
  );
  socket.on('message', (message: Buffer) => {
    connection.receive(message).catch((error) => {
      log.debug('a port-forward connection is not SPDY', { error });
      socket.terminate();
    });
  });
  socket.on('close', () => connection.close());
}
