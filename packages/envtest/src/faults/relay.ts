import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Clock, realClock } from '@flotilla/kube';
import { type Direction, relayDirection } from './one-direction.ts';

/** A TCP relay on loopback between a client and a server, with a network that misbehaves on demand. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** The target's URL with the relay's address: what a client should use instead. */
  readonly server: string;
  /** Connections that are open now. */
  readonly connections: number;
  /** No byte passes in either direction; connections stay open, and new ones are accepted and get no answer. */
  blackhole(): void;
  /** The connections that are open now stay open and never carry a byte again; new ones work: a NAT that forgot them. */
  silence(): void;
  /** Every byte takes this much longer, in each direction. */
  delay(ms: number): void;
  /** Resets all connections; new ones are accepted. */
  dropConnections(): void;
  /** Resets all connections, and new ones at once, until `restore`. */
  cut(): void;
  /** Back to normal; what a black hole held back arrives now. */
  restore(): void;
  close(): Promise<void>;
}

interface Link {
  readonly sockets: readonly [Socket, Socket];
  readonly directions: readonly [Direction, Direction];
}

/** Starts a relay to a URL such as `cluster.server`. The server's certificate stays valid: the relay is on 127.0.0.1 as well. */
export async function startRelay(target: string, options: { clock?: Clock } = {}): Promise<Relay> {
  const url = new URL(target);
  const { clock = realClock } = options;
  const links = new Set<Link>();
  let network = { held: false, delayMs: 0 };
  let refusing = false;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => {});
    if (refusing) client.resetAndDestroy();
    else openLink(client, url, (from, to) => relayDirection(from, to, network, clock), links);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;

  const close = async () => {
    const closed = once(listener, 'close');
    listener.close();
    drop(links);
    await closed;
  };

  return {
    port,
    server: `${url.protocol}//127.0.0.1:${port}`,
    get connections() {
      return links.size;
    },
    blackhole() {
      network.held = true;
      update(links);
    },
    silence() {
      network.held = true;
      update(links);
      // Later connections are on another network, which `restore` and the rest act on.
      network = { held: false, delayMs: network.delayMs };
    },
    delay(ms) {
      network.delayMs = ms;
    },
    dropConnections: () => drop(links),
    cut() {
      refusing = true;
      drop(links);
    },
    restore() {
      refusing = false;
      Object.assign(network, { held: false, delayMs: 0 });
      update(links);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Connects a client with the server, and keeps the link among `links` while either side is open. */
function openLink(
  client: Socket,
  url: URL,
  direction: (from: Socket, to: Socket) => Direction,
  links: Set<Link>,
): void {
  const upstream = connect({ host: url.hostname, port: portOf(url), allowHalfOpen: true, noDelay: true });
  upstream.on('error', () => client.resetAndDestroy());
  const link: Link = {
    sockets: [client, upstream],
    directions: [direction(client, upstream), direction(upstream, client)],
  };
  links.add(link);
  client.once('close', () => {
    if (upstream.destroyed) links.delete(link);
  });
  upstream.once('close', () => {
    if (client.destroyed) links.delete(link);
  });
}

function update(links: Iterable<Link>): void {
  for (const { directions } of links) for (const direction of directions) direction.update();
}

function drop(links: Set<Link>): void {
  for (const { sockets } of links) for (const socket of sockets) socket.resetAndDestroy();
  links.clear();
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
