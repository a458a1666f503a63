import { KubeError, staticAccess } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { BehaviorSubject, map, skip } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { isForwardingNotServed } from '../hub-proxy/forward-call.ts';
import { hubProxyService, requestHead, requestPart } from '../hub-proxy/frames.ts';
import { serveBroker } from './fixtures/served-broker.ts';
import type { ForwardedCall, ForwardHandler } from './forward-handler.ts';

const head = { clusterName: 'cluster1', addOnName: 'a', method: 'GET', path: '/api/v1/pods', headers: [] } as const;
const watch = { ...head, path: '/api/v1/pods?watch=true' };

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const textOf = async (body: AsyncIterable<Uint8Array>) => (await bytesOf(body)).toString();
const answer = (body: AsyncIterable<Uint8Array>) => ({ status: 200, headers: [], body });
async function* of(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}
/** A body that never ends by itself; each part is 64 KiB. */
async function* endless(onPart: () => void = () => {}) {
  for (;;) {
    onPart();
    yield Buffer.alloc(64 * 1024);
    await new Promise(setImmediate);
  }
}
/** A body with one part that then waits for the caller to leave. */
async function* waiting(text: string, signal: AbortSignal) {
  yield Buffer.from(text);
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
const failureOf = (promise: Promise<unknown>): Promise<KubeError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => KubeError.from(error),
  );
/** What a number is once it stays. */
async function unchanging(current: () => number): Promise<number> {
  let last = -1;
  const isSame = () => {
    const before = last;
    last = current();
    return before === last;
  };
  await expect.poll(isSame, { interval: 200 }).toBe(true);
  return last;
}
const serve = (forward: ForwardHandler, clock?: FakeClock) =>
  serveBroker({ server: { forward, ...(clock && { clock }) } });

describe('a forwarded request', () => {
  it('arrives with its head and its bytes, and so does the answer', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    await using served = await serve(async (request) => ({
      status: 418,
      headers: [
        ['x-path', request.head.path],
        ['x-name', `${request.head.clusterName}/${request.head.addOnName}`],
        ...request.head.headers,
      ],
      body: request.body,
    }));
    const given = {
      ...head,
      method: 'POST',
      headers: [
        ['warning', 'one'],
        ['warning', 'two'],
      ] as const,
    };
    const {
      status: code,
      headers,
      body: echo,
    } = await served.client().forward(given, {
      body: (async function* () {
        yield body.subarray(0, 200_000);
        yield body.subarray(200_000);
      })(),
    });
    expect(code).toBe(418);
    expect(headers).toEqual([
      ['x-path', '/api/v1/pods'],
      ['x-name', 'cluster1/a'],
      ['warning', 'one'],
      ['warning', 'two'],
    ]);
    expect((await bytesOf(echo)).equals(body)).toBe(true);
  });

  it('runs beside others on one connection', async () => {
    await using served = await serve(async ({ head: { path } }) => answer(of(path)));
    const client = served.client();
    const paths = Array.from({ length: 100 }, (_, index) => `/api/v1/nodes/${index}`);
    const texts = paths.map(async (path) => textOf((await client.forward({ ...head, path })).body));
    expect(await Promise.all(texts)).toEqual(paths);
  });

  it('is refused with the Kubernetes status that the handler throws', async () => {
    await using served = await serve(() => Promise.reject(new KubeError('Forbidden', 'no', { status: 403 })));
    expect(await failureOf(served.client().forward(head))).toMatchObject({ code: 'Forbidden', status: 403 });
  });

  it('ends with an error in the middle of the body when the answer breaks', async () => {
    await using served = await serve(async () =>
      answer(
        (async function* () {
          yield Buffer.from('half');
          throw new KubeError('Forbidden', 'the add-on was removed', { status: 403 });
        })(),
      ),
    );
    const { body } = await served.client().forward(head);
    expect((await failureOf(textOf(body))).message).toContain('the add-on was removed');
  });

  it('ends at the server when its reader leaves, before and after the head', async () => {
    const signals: AbortSignal[] = [];
    const never = new Promise<never>(() => {});
    await using served = await serve(async ({ head: { path }, signal }) => {
      signals.push(signal);
      return path === '/slow' ? never : answer(endless());
    });
    const client = served.client();
    const { body } = await client.forward(watch);
    for await (const _ of body) break;
    const end = new AbortController();
    const waiting = failureOf(client.forward({ ...head, path: '/slow' }, { signal: end.signal }));
    await expect.poll(() => signals.length).toBe(2);
    end.abort();
    expect((await waiting).code).toBe('Canceled');
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('makes the server wait for a slow reader, and no other call', async () => {
    let parts = 0;
    await using served = await serve(async ({ head: { path } }) =>
      answer(path === '/slow' ? endless(() => (parts += 1)) : of('quick')),
    );
    const client = served.client();
    const slow = await client.forward({ ...head, path: '/slow' });
    const before = await unchanging(() => parts);
    expect(parts * 64).toBeLessThan(8 * 1024);
    expect(await textOf((await client.forward(head)).body)).toBe('quick');
    for await (const _ of slow.body) if (parts > before) break;
  });

  it('ends when its body is not whole after 65 s, also if parts of it come', async () => {
    const clock = new FakeClock();
    let received = 0;
    let failed: unknown;
    await using served = await serve(async ({ body }) => {
      try {
        for await (const part of body) received += part.length;
      } catch (error) {
        failed = error;
        throw error;
      }
      return answer(of('whole'));
    }, clock);
    const parts: (() => void)[] = [];
    const body = (async function* () {
      for (;;) {
        yield Buffer.from('x');
        await new Promise<void>((resolve) => parts.push(resolve));
      }
    })();
    const refused = failureOf(served.client().forward({ ...head, method: 'POST' }, { body }));
    for (let sent = 1; sent <= 4; sent += 1) {
      await expect.poll(() => received).toBe(sent);
      await clock.advance(16_000);
      parts.pop()?.();
    }
    await expect.poll(() => received).toBe(5);
    await clock.advance(1_000);
    expect(await refused).toMatchObject({
      code: 'Timeout',
      message: expect.stringContaining('did not finish the body of the request for 65 s'),
    });
    expect(failed).toMatchObject({ code: 'Timeout' });
  });

  it('takes as long as it needs when its body is whole', async () => {
    const clock = new FakeClock();
    const release: (() => void)[] = [];
    await using served = await serve(async ({ body }) => {
      const text = await textOf(body);
      await new Promise<void>((resolve) => release.push(resolve));
      return answer(of(text));
    }, clock);
    const answered = served.client().forward({ ...head, method: 'POST' }, { body: of('a', 'b') });
    await expect.poll(() => release.length).toBe(1);
    await clock.advance(120_000);
    release[0]?.();
    expect(await textOf((await answered).body)).toBe('ab');
  });

  it('ends when its reader has read nothing for 30 s', async () => {
    const clock = new FakeClock();
    const signals: AbortSignal[] = [];
    let parts = 0;
    await using served = await serve(async ({ signal }) => {
      signals.push(signal);
      return answer(endless(() => (parts += 1)));
    }, clock);
    const { body } = await served.client().forward(head);
    await unchanging(() => parts);
    await clock.advance(29_000);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1_000);
    expect(signals[0]?.reason).toMatchObject({ message: expect.stringContaining('did not read the answer for 30 s') });
    expect((await failureOf(bytesOf(body))).code).toBe('Timeout');
  });
});

describe('a server', () => {
  it('without a handler says so, as one of Open Cluster Management does', async () => {
    await using served = await serveBroker();
    const error = await failureOf(served.client().forward(head));
    expect(isForwardingNotServed(error)).toBe(true);
    expect(isForwardingNotServed(new KubeError('NotFound', ''))).toBe(false);
  });

  it.each([
    ['the body comes before the head', [requestPart(Buffer.from('x'))], /first frame/],
    ['there is a second head', [requestHead(head), requestHead(head)], /one head/],
    ['nothing comes', [], /first frame/],
  ])('refuses a request when %s', async (_, frames, message) => {
    await using served = await serve(async ({ body }) => answer(of(await textOf(body))));
    const { path, requestSerialize, responseDeserialize } = hubProxyService.forward;
    const tls = credentials.createSsl(Buffer.from(served.authority.certificate));
    const client = new Client(`localhost:${served.server.port}`, tls);
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const failed = new Promise<ServiceError>((resolve) => call.on('error', resolve));
    call.resume();
    for (const frame of frames) call.write(frame);
    call.end();
    const { code, details } = await failed;
    expect(code).toBe(status.INVALID_ARGUMENT);
    expect(details).toMatch(message);
    client.close();
  });
});

describe('when the credentials of a client change', () => {
  it('a watch ends as a server ends one, and any other answer comes to its end', async () => {
    const release: (() => void)[] = [];
    await using served = await serve(async ({ head: { path }, signal }: ForwardedCall) => {
      if (path === watch.path) return answer(waiting('event', signal));
      return answer(
        (async function* () {
          yield Buffer.from('a');
          await new Promise<void>((resolve) => release.push(resolve));
          yield Buffer.from('b');
        })(),
      );
    });
    const tokens = new BehaviorSubject('1');
    const access = {
      ...staticAccess(served.access()),
      current: async () => served.access({ authorization: tokens.value }),
      changes: tokens.pipe(
        skip(1),
        map(() => undefined),
      ),
    };
    const client = served.client({ access });
    const [watched, listed] = await Promise.all([client.forward(watch), client.forward(head)]);
    const events = watched.body[Symbol.asyncIterator]();
    expect(String((await events.next()).value)).toBe('event');
    const text = textOf(listed.body);
    await expect.poll(() => release.length).toBe(1);
    tokens.next('2');
    expect((await events.next()).done).toBe(true);
    release[0]?.();
    expect(await text).toBe('ab');
  });
});
