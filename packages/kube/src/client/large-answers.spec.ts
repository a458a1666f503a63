import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Answer, openBody, SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;
const maxAnswerBytes = 2 ** 20;

/** An answer that never ends. */
function endless(): Answer {
  const stream = openBody();
  const source = new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024, ' '));
    },
  });
  source.pipe(stream);
  stream.once('close', () => source.destroy());
  return { stream };
}

const zeros = gzipSync(Buffer.alloc(16 * maxAnswerBytes));

describe.each(['h2', 'http/1.1'] as const)('a server that answers too much, over %s', (protocol) => {
  async function ask(answer: () => Answer) {
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler: answer });
    const access = server.access({ ca: harness().authority.ca });
    const transport = harness().connect(access, { maxAnswerBytes, deadlineMs: 5000 });
    const error = await failure(transport.request(get));
    server.handle(() => ({ body: 'x'.repeat(maxAnswerBytes) }));
    return { error, next: await transport.request(get) };
  }

  it.each([
    ['without end', endless],
    ['without end, as an error', () => ({ ...endless(), status: 500 })],
    ['compressed', () => ({ body: zeros, headers: { 'content-encoding': 'gzip' } })],
  ])('%s, costs its request and nothing else', async (_, answer) => {
    const { error, next } = await ask(answer);
    expect(error).toMatchObject({ code: 'Decode', message: expect.stringContaining('more than 1048576 bytes') });
    expect(next.body).toHaveLength(maxAnswerBytes);
  });

  it('counts all requests under way together', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: () => {
        const stream = openBody();
        return { stream, body: 'x'.repeat(0.4 * maxAnswerBytes) };
      },
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { maxAnswerBytes });
    const abort = new AbortController();
    const all = [1, 2, 3].map(() => failure(transport.request({ ...get, signal: abort.signal })));
    expect(await Promise.race(all)).toMatchObject({ code: 'Decode' });
    abort.abort();
    await Promise.all(all);
  });
});
