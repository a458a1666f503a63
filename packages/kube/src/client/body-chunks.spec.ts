import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyChunks } from './body-chunks.ts';

const lost = new Error('the connection was lost');

function setUp() {
  const body = new PassThrough();
  const left: string[] = [];
  const failureOf = (cause: unknown) => (cause === undefined ? undefined : lost);
  const chunks = new BodyChunks(body, failureOf, () => {
    left.push('left');
    body.destroy();
  });
  return { body, chunks, left };
}

/** When what was written has reached the reader's side. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the chunks of a body', () => {
  it('come one at a time to a reader that waits, and together to one that was busy', async () => {
    const { body, chunks } = setUp();
    const waiting = chunks.next();
    body.write('one');
    expect(await waiting).toEqual({ done: false, value: 'one' });
    body.write('two');
    await turn();
    body.write('three');
    await turn();
    expect(await chunks.next()).toEqual({ done: false, value: 'twothree' });
  });

  it('are all read before the end, which stays the end', async () => {
    const { body, chunks } = setUp();
    body.end('last');
    await turn();
    expect(await chunks.next()).toEqual({ done: false, value: 'last' });
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('are read before a loss, which is thrown once', async () => {
    const { body, chunks } = setUp();
    body.write('last');
    await turn();
    body.destroy(new Error('reset'));
    await turn();
    expect(await chunks.next()).toEqual({ done: false, value: 'last' });
    await expect(chunks.next()).rejects.toBe(lost);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('answer each of several readers, of which the first hears of a loss', async () => {
    const { body, chunks } = setUp();
    const reads = Promise.allSettled([chunks.next(), chunks.next(), chunks.next()]);
    body.write('one');
    await turn();
    body.destroy(new Error('reset'));
    expect(await reads).toEqual([
      { status: 'fulfilled', value: { done: false, value: 'one' } },
      { status: 'rejected', reason: lost },
      { status: 'fulfilled', value: { done: true, value: undefined } },
    ]);
  });

  it('end for a reader that leaves, whatever still comes', async () => {
    const { body, chunks, left } = setUp();
    body.write('one');
    for await (const _ of chunks) break;
    expect(left).toEqual(['left']);
    await turn();
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('make the server wait for a reader that is slow, and not for ever', async () => {
    const piece = 'x'.repeat(2 ** 16);
    let sent = 0;
    const body = new Readable({
      read() {
        this.push(sent++ < 100 ? piece : null);
      },
    });
    const chunks = new BodyChunks(
      body,
      () => undefined,
      () => {},
    );
    for (let i = 0; i < 200; i++) await turn();
    expect(sent).toBeLessThan(30);
    let read = 0;
    for await (const text of chunks) read += text.length;
    expect(read).toBe(100 * piece.length);
  });
});
