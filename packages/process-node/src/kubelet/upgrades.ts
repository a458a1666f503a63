import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@flotilla/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import type { PodRuntime } from '../pods/pod-runtime.ts';
import type { ProcessHost } from '../processes/container-process.ts';
import { SpdyConnection, type SpdyStream, type WhenBehind } from '../spdy/spdy-connection.ts';
import { type ChannelSocket, type ExecStreams, exec } from '../streams/exec.ts';
import { ExecBySpdy, spdyExecProtocol } from '../streams/exec-by-spdy.ts';
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

type Serve = (socket: WebSocket) => void;

/** A command to run in a container. */
interface ExecRequest {
  readonly wanted: ExecStreams & { readonly tty: boolean };
  run(socket: ChannelSocket): void;
}

/** Serves `exec` and `portForward` by WebSocket and by SPDY. Answers false for what it does not serve. */
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
  const execRequest = (url: URL, runtime: PodRuntime, containerName: string | undefined): ExecRequest | undefined => {
    const process = runtime.all.find(({ container }) => container.name === containerName)?.process;
    if (!process) return undefined;
    const wants = (stream: string) => ['1', 'true'].includes(url.searchParams.get(stream) ?? '');
    const wanted = { stdin: wants('input'), stdout: wants('output'), stderr: wants('error'), tty: wants('tty') };
    return { wanted, run: (socket) => exec(host, process, url.searchParams.getAll('command'), wanted, socket) };
  };
  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
      const url = new URL(request.url ?? '/', 'https://kubelet');
      const [, what, namespace, name, ...rest] = url.pathname.split('/').map(decodeURIComponent);
      const runtime = find(`${namespace}/${name}`);
      if (!runtime) return false;
      const { upgrade = '', 'sec-websocket-protocol': protocols = '' } = request.headers;
      const offered = protocols.split(',').map((text) => text.trim());
      const isSpdy = upgrade.toUpperCase() === 'SPDY/3.1';
      if (what === 'exec') {
        const asked = execRequest(url, runtime, rest.at(-1));
        if (asked && offered.includes(execProtocol)) return upgradeSocket(request, socket, head, asked.run);
        if (!asked || !isSpdy || !offersSpdyExec(request)) return false;
        const execution = new ExecBySpdy(asked.wanted, clock, asked.run);
        speakSpdy(socket, { head, protocol: spdyExecProtocol, whenBehind: 'hold' }, (stream) =>
          execution.accept(stream),
        );
        return true;
      }
      if (what !== 'portForward') return false;
      const forwarding = new PortForwarding(runtime.podIP, clock);
      if (offered.includes(tunnelProtocol)) {
        delete request.headers['sec-websocket-protocol'];
        tunnels.add(request);
        return upgradeSocket(request, socket, head, (webSocket) => tunnel(webSocket, forwarding, log));
      }
      if (!isSpdy) return false;
      speakSpdy(socket, { head, protocol: 'portforward.k8s.io', whenBehind: 'reset' }, (stream) =>
        forwarding.accept(stream),
      );
      return true;
    },
    close(): void {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

/** Clients name all versions that they know, each in a header or several in one. */
const offersSpdyExec = ({ headersDistinct }: IncomingMessage): boolean =>
  (headersDistinct['x-stream-protocol-version'] ?? [])
    .flatMap((text) => text.split(','))
    .some((text) => text.trim() === spdyExecProtocol);

/** How a connection goes on once it is upgraded. */
interface SpdyUpgrade {
  readonly head: Buffer;
  readonly protocol: string;
  readonly whenBehind: WhenBehind;
}

/** SPDY on the connection itself, as API servers before 1.36 and clients without WebSockets ask for it. */
function speakSpdy(
  socket: Duplex,
  { head, protocol, whenBehind }: SpdyUpgrade,
  accept: (stream: SpdyStream) => void,
): void {
  const lines = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${protocol}`];
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  const write = (frame: Buffer, sent: () => void) => {
    if (socket.writable) socket.write(frame, () => sent());
    else sent();
  };
  const connection = new SpdyConnection(write, accept, whenBehind);
  const receive = (bytes: Buffer) => {
    socket.pause();
    connection.receive(bytes).then(
      () => socket.resume(),
      () => socket.destroy(),
    );
  };
  socket.on('data', receive);
  if (head.length > 0) receive(head);
  socket.once('close', () => connection.close());
}

function tunnel(socket: WebSocket, forwarding: PortForwarding, log: Logger): void {
  const connection = new SpdyConnection(
    (frame, sent) => socket.send(frame, () => sent()),
    (stream) => forwarding.accept(stream),
    'reset',
  );
  socket.on('message', (message: Buffer) => {
    connection.receive(message).catch((error) => {
      log.debug('a port-forward connection is not SPDY', { error });
      socket.terminate();
    });
  });
  socket.on('close', () => connection.close());
}
