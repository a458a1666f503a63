import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { sendAnswer } from './send-answer.ts';

test('a stream that does not end after its reset ends with its connection', async () => {
  const clock = new FakeClock();
  const sent = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    // The reset cannot be written while the client reads nothing.
    response.stream.close = () => {};
    const answer = { status: 403, headers: {}, body: 'no' };
    const options = { clock, slowReaderMs: 60_000, closeGraceMs: 2_000 };
    sendAnswer(request, response, answer, options).catch(sent.resolve);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
  const closed = once(client, 'close');
  const stream = client.request({ ':method': 'POST' }, { endStream: false });
  stream.on('error', () => undefined);
  await once(stream, 'response');
  while (clock.pending === 0) await clock.settle();
  await clock.advance(2_000);
  expect(await sent.promise).toBeInstanceOf(Error);
  await closed;
  server.close();
});
