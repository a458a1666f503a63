import { Duplex } from 'node:stream';
import { HeaderBlocks, type SpdyHeaders } from './header-blocks.ts';

const version = 0x8003;
const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const finFlag = 1;
/** The API server and kubectl send pieces of 32 KiB at most. */
const maxFrameBytes = 2 ** 20;
/** How far the reader of a stream may be behind. */
const maxUnreadBytes = 16 * 2 ** 20;
const cancelStatus = 5;

/** Sends data of one stream; `sent` is called when the connection has taken it, or never will. */
type SendData = (data: Buffer, isLast: boolean, sent: () => void) => void;

/**
 * What is done with a client that is further ahead. There is no flow control of one stream: either all streams of the connection wait, or
 * the one is reset, so that a reader that reads nothing does not hold up the others.
 */
export type WhenBehind = 'hold' | 'reset';

/** A stream that the client opened. */
export class SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
  readonly #send: SendData;
  readonly #cancel: () => void;
  #taken = () => {};

  constructor(headers: SpdyHeaders, send: SendData, cancel: () => void) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.#send = send;
    this.#cancel = cancel;
  }

  /** Resolves when the reader wants more, or never will. */
  whenRead(): Promise<void> {
    return new Promise((resolve) => {
      if (this.destroyed) resolve();
      else this.#taken = resolve;
    });
  }

  override _read(): void {
    this.#taken();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(chunk, false, done);
  }

  override _final(done: () => void): void {
    this.#send(Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.#cancel();
    this.#taken();
    done(error);
  }
}

/**
 * The server's side of SPDY/3.1, as far as Kubernetes uses it: streams that the client opens, data in both directions, pings. Neither
 * kubectl nor the API server uses flow control.
 */
export class SpdyConnection {
  readonly #blocks = new HeaderBlocks();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #write: (frame: Buffer, sent: () => void) => void;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #whenBehind: WhenBehind;
  #rest = Buffer.alloc(0);
  /** Frames are handled one after the other: those of headers take a moment. */
  #handling: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    write: (frame: Buffer, sent: () => void) => void,
    onStream: (stream: SpdyStream) => void,
    whenBehind: WhenBehind,
  ) {
    this.#whenBehind = whenBehind;
    this.#write = write;
    this.#onStream = onStream;
  }

  /** Takes bytes of the connection; rejects if they are not SPDY. Those that come before it resolves are kept: give it none. */
  receive(bytes: Buffer): Promise<void> {
    this.#handling = this.#handling.then(() => this.#take(bytes));
    return this.#handling;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#blocks.close();
  }

  async #take(bytes: Buffer): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= 8 && !this.#isClosed) {
      const length = this.#rest.readUInt32BE(4) & 0xff_ff_ff;
      if (length > maxFrameBytes) throw new Error(`a frame of ${length} bytes is refused`);
      if (this.#rest.length < 8 + length) return;
      const frame = this.#rest.subarray(0, 8 + length);
      this.#rest = this.#rest.subarray(8 + length);
      await this.#handle(frame);
    }
  }

  async #handle(frame: Buffer): Promise<void> {
    const flags = frame.readUInt8(4);
    const body = frame.subarray(8);
    if ((frame.readUInt8(0) & 0x80) === 0) {
      const stream = this.#streams.get(frame.readUInt32BE(0));
      if (stream) await this.#push(stream, body, flags);
      return;
    }
    if (frame.readUInt16BE(0) !== version) throw new Error('only version 3 of SPDY is understood');
    const type = frame.readUInt16BE(2);
    if (type === types.synStream) await this.#open(body, flags);
    else if (type === types.ping) this.#write(Buffer.from(frame), () => {});
    else if (type === types.rstStream) this.#streams.get(body.readUInt32BE(0))?.destroy();
    else if (type === types.goAway) this.close();
  }

  async #push(stream: SpdyStream, body: Buffer, flags: number): Promise<void> {
    if (body.length > 0) stream.push(Buffer.from(body));
    const isBehind = stream.readableLength > maxUnreadBytes;
    if (isBehind && this.#whenBehind === 'reset') stream.destroy();
    if (flags & finFlag) stream.push(null);
    else if (isBehind) await stream.whenRead();
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7f_ff_ff_ff;
    const headers = await this.#blocks.decode(body.subarray(10));
    const stream = new SpdyStream(
      headers,
      (data, isLast, sent) => this.#write(dataFrame(id, data, isLast), sent),
      () => this.#write(controlFrame(types.rstStream, numbers(id, cancelStatus)), () => {}),
    );
    stream.on('error', () => {});
    stream.once('close', () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    const reply = await this.#blocks.encode({});
    this.#write(controlFrame(types.synReply, Buffer.concat([numbers(id), reply])), () => {});
    if (flags & finFlag) stream.push(null);
    this.#onStream(stream);
  }
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function dataFrame(id: number, body: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(body.length, 4);
  head.writeUInt8(isLast ? finFlag : 0, 4);
  return Buffer.concat([head, body]);
}
