import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@flotilla/kube';

/** Where a connection may go. */
export interface ForwardTarget {
  readonly host: string;
  readonly port: number;
}

const connectDeadlineMs = 5000;

/** Forwards TCP connections to one of the targets of the moment, in turn. */
export class Forward {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clock: Clock;
  #targets: readonly ForwardTarget[] = [];
  #turn = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async listen(host: string, port: number): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.unref();
  }

  /** New connections go to these; those that stand stay. */
  use(targets: readonly ForwardTarget[]): void {
    this.#targets = targets;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#track(socket);
    socket.setNoDelay(true);
    this.#connect(socket, this.#targets.length);
  }

  /** To the next target; to another one if that does not accept: it may have ended before its endpoint was taken away. */
  #connect(socket: Socket, attempts: number): void {
    const target = this.#targets[this.#turn++ % Math.max(1, this.#targets.length)];
    if (!target || attempts === 0 || socket.destroyed) {
      socket.destroy();
      return;
    }
    const onward = connect({ ...target, noDelay: true });
    this.#track(onward);
    let isConnected = false;
    const cancel = this.#clock.schedule(connectDeadlineMs, () => onward.destroy());
    const leave = () => onward.destroy();
    socket.once('close', leave);
    onward.once('connect', () => {
      isConnected = true;
      cancel();
      socket.pipe(onward).pipe(socket);
    });
    onward.once('close', () => {
      cancel();
      socket.off('close', leave);
      if (isConnected) socket.destroy();
      else this.#connect(socket, attempts - 1);
    });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
