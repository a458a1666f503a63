import { EventEmitter } from 'node:events';
import type { Clock } from '@flotilla/kube';
import type { SpdyStream } from '../spdy/spdy-connection.ts';
import { type ChannelSocket, channels, type ExecStreams } from './exec.ts';

/** How `exec` goes over SPDY: a stream for each of stdin, stdout and stderr, and one for the status at the end. */
export const spdyExecProtocol = 'v4.channel.k8s.io';

const streamsDeadlineMs = 30_000;
const outputs = { [channels.stdout]: 'stdout', [channels.stderr]: 'stderr', [channels.error]: 'error' } as const;

/** Collects the streams that the client opens, and begins when all that it asked for are there. */
export class ExecBySpdy {
  readonly #streams = new Map<string, SpdyStream>();
  readonly #missing: Set<string>;
  readonly #begin: (socket: ChannelSocket) => void;
  readonly #cancel: () => void;

  constructor(wanted: ExecStreams & { readonly tty: boolean }, clock: Clock, begin: (socket: ChannelSocket) => void) {
    const { stdin, stdout, stderr, tty } = wanted;
    const asked = { error: true, stdin, stdout, stderr: stderr && !tty, resize: tty };
    this.#missing = new Set(Object.entries(asked).flatMap(([name, isAsked]) => (isAsked ? [name] : [])));
    this.#begin = begin;
    this.#cancel = clock.schedule(streamsDeadlineMs, () => {
      for (const stream of this.#streams.values()) stream.destroy();
    });
  }

  accept(stream: SpdyStream): void {
    const { streamtype = '' } = stream.headers;
    if (!this.#missing.delete(streamtype)) return void stream.destroy();
    this.#streams.set(streamtype, stream);
    if (this.#missing.size > 0) return;
    this.#cancel();
    this.#begin(new StreamChannels(this.#streams));
  }
}

/** The streams as the numbered channels of a WebSocket. */
class StreamChannels extends EventEmitter implements ChannelSocket {
  readonly #streams: ReadonlyMap<string, SpdyStream>;

  constructor(streams: ReadonlyMap<string, SpdyStream>) {
    super();
    this.#streams = streams;
    const closed = () => this.emit('close');
    for (const [name, stream] of streams) {
      if (name === 'stdin') {
        stream.on('data', (data: Buffer) => this.emit('message', Buffer.concat([Buffer.from([channels.stdin]), data])));
        stream.once('end', () => this.emit('message', Buffer.from([channels.close, channels.stdin])));
        // A command must not take half of its input for all of it.
        stream.once('close', () => stream.readableEnded || closed());
      } else stream.resume();
    }
    streams.get('error')?.once('close', closed);
  }

  send(message: Buffer, sent: () => void): void {
    const name = outputs[message[0] as keyof typeof outputs];
    const stream = this.#streams.get(name);
    if (stream?.writable) stream.write(message.subarray(1), () => sent());
    else sent();
  }

  /** What the command does not take waits in the stream, until the connection holds the client back. */
  pause(): void {
    this.#streams.get('stdin')?.pause();
  }

  resume(): void {
    this.#streams.get('stdin')?.resume();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.end();
  }
}
