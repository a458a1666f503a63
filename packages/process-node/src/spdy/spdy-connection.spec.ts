import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { HeaderBlocks } from './header-blocks.ts';
import { SpdyConnection, type SpdyStream } from './spdy-connection.ts';

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const control = (type: number, flags: number, body: Buffer) =>
  Buffer.concat([Buffer.from([0x80, 3, 0, type]), number(body.length + flags * 2 ** 24), body]);
const data = (id: number, flags: number, body: string) =>
  Buffer.concat([number(id), number(body.length + flags * 2 ** 24), Buffer.from(body)]);

/** The frames of a client, which keeps its own compression. */
function client() {
  const blocks = new HeaderBlocks();
  const open = async (id: number, headers: Record<string, string>) =>
    control(1, 0, Buffer.concat([number(id), number(0), Buffer.alloc(2), await blocks.encode(headers)]));
  return { blocks, open };
}

it('opens streams with their headers, and carries data both ways', async () => {
  const frames: Buffer[] = [];
  const streams: SpdyStream[] = [];
  const connection = new SpdyConnection(
    (frame, sent) => {
      frames.push(frame);
      sent();
    },
    (stream) => streams.push(stream),
    'reset',
  );
  const { open, blocks } = client();
  await connection.receive(await open(1, { streamType: 'data', port: '80', requestID: '0' }));
  await connection.receive(await open(3, { streamType: 'error', port: '80', requestID: '0' }));
  expect(streams.map(({ headers }) => headers)).toEqual([
    { streamtype: 'data', port: '80', requestid: '0' },
    { streamtype: 'error', port: '80', requestid: '0' },
  ]);
  expect(await blocks.decode(frames[0]?.subarray(12) ?? Buffer.alloc(0))).toEqual({});
  // A frame may come in pieces, and several at once.
  const sent = Buffer.concat([data(1, 0, 'hello '), data(1, 1, 'world')]);
  await connection.receive(sent.subarray(0, 3));
  await connection.receive(sent.subarray(3));
  expect(streams[0] && (await text(streams[0]))).toBe('hello world');
  streams[0]?.end('bye');
  await new Promise((resolve) => setImmediate(resolve));
  expect(frames.at(-2)).toEqual(data(1, 0, 'bye'));
  expect(frames.at(-1)).toEqual(data(1, 1, ''));
  connection.close();
});

it('answers pings, and refuses what is not SPDY', async () => {
  const frames: Buffer[] = [];
  const connection = new SpdyConnection(
    (frame, sent) => {
      frames.push(frame);
      sent();
    },
    () => {},
    'reset',
  );
  await connection.receive(control(6, 0, number(7)));
  expect(frames).toEqual([control(6, 0, number(7))]);
  await expect(connection.receive(Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]))).rejects.toThrow('only version 3');
  const huge = new SpdyConnection(
    () => {},
    () => {},
    'reset',
  );
  await expect(huge.receive(Buffer.from('GET / HTTP/1.1\r\n'))).rejects.toThrow('is refused');
});

describe('a client that is far ahead of the reader of a stream', () => {
  const piece = 'a'.repeat(2 ** 20 - 8);
  const behind = async (mode: 'hold' | 'reset') => {
    const streams: SpdyStream[] = [];
    const connection = new SpdyConnection(
      (_, sent) => sent(),
      (stream) => streams.push(stream),
      mode,
    );
    const { open } = client();
    await connection.receive(await open(1, { streamType: 'stdin' }));
    let taken = 0;
    const all = Array.from({ length: 20 }, () => connection.receive(data(1, 0, piece)).then(() => taken++));
    while (streams[0]?.readableLength !== 0 && (streams[0]?.readableLength ?? 0) < 16 * 2 ** 20 && taken < 20) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { connection, stream: streams[0] as SpdyStream, all, taken: () => taken };
  };

  it('waits until what it sent is read', async () => {
    const { stream, all, taken } = await behind('hold');
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(taken()).toBe(16);
    stream.resume();
    await Promise.all(all);
    expect(stream.destroyed).toBe(false);
  });

  it('does not wait any longer once the connection is closed', async () => {
    const { connection, all } = await behind('hold');
    connection.close();
    await Promise.all(all);
  });

  it('loses the stream where others share the connection', async () => {
    const { stream, all } = await behind('reset');
    await Promise.all(all);
    expect(stream.destroyed).toBe(true);
  });
});
