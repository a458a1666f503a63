import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Http2Connection } from './http2-connection.ts';

it('a connection that is given up before it opened ends without an error', async () => {
  const [socket] = duplexPair();
  const failures: unknown[] = [];
  const fail = (error: unknown) => failures.push(error);
  process.on('uncaughtException', fail);
  const connection = new Http2Connection({
    socket,
    server: new URL('http://hub.example'),
    clock: new FakeClock(),
    pingIntervalMs: 1000,
    pingTimeoutMs: 1000,
    explain: (cause) => KubeError.from(cause),
    onClose() {},
  });
  connection.destroy(new Error('given up'));
  for (let round = 0; round < 5; round += 1) await setImmediate();
  process.off('uncaughtException', fail);
  expect(failures).toEqual([]);
});
