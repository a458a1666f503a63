import { connect } from 'node:net';
import type { Clock } from '@flotilla/kube';
import type { SpdyStream } from '../spdy/spdy-connection.ts';

const connectDeadlineMs = 10_000;
const pairDeadlineMs = 30_000;

/**
 * Forwards connections to ports of a pod. For each the client opens two streams with the same `requestid`: one for data, and one on which
 * it learns why that failed.
 */
export class PortForwarding {
  readonly #podIP: string;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, SpdyStream>();

  constructor(podIP: string, clock: Clock) {
    this.#podIP = podIP;
    this.#clock = clock;
  }

  /** Takes a stream of the client; the second of a pair starts the connection. */
  accept(stream: SpdyStream): void {
    const { requestid = '', streamtype } = stream.headers;
    const other = this.#waiting.get(requestid);
    if (!other) {
      this.#waiting.set(requestid, stream);
      const cancel = this.#clock.schedule(pairDeadlineMs, () => {
        if (this.#waiting.delete(requestid)) stream.destroy();
      });
      stream.once('close', cancel);
      return;
    }
    this.#waiting.delete(requestid);
    const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream];
    this.#connect(data, error);
  }

  #connect(data: SpdyStream, error: SpdyStream): void {
    const port = Number(data.headers.port);
    const socket = connect({ host: this.#podIP, port, noDelay: true, allowHalfOpen: true });
    const cancel = this.#clock.schedule(connectDeadlineMs, () => socket.destroy(new Error('no connection in time')));
    // The client never writes to it; its end is not one of the connection.
    error.resume();
    socket.once('connect', cancel);
    socket.once('error', ({ message }) => {
      error.end(`error forwarding port ${port} to the pod at ${this.#podIP}: ${message}`);
      data.destroy();
    });
    socket.once('close', () => {
      cancel();
      if (!error.writableEnded) error.end();
      data.end();
    });
    data.once('close', () => socket.destroy());
    data.pipe(socket).pipe(data);
  }
}
