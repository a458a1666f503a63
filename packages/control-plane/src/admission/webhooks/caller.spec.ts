import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeError, realClock } from '@flotilla/kube';
import { makeServingPair } from '@flotilla/kube/pki';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWebhookCaller } from './caller.ts';

const maxAgents = 100;

/** A webhook that closes the connections of these requests, which are counted from 1, without an answer. */
async function serve(unanswered: readonly number[] = []) {
  const { ca, certificate, key } = await makeServingPair(['127.0.0.1'], { now: Date.now(), lifeMs: 3_600_000 });
  const seen = { requests: 0, connections: 0 };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    seen.requests++;
    if (unanswered.includes(seen.requests)) request.socket.destroy();
    else response.end('{"answer":true}');
  });
  server.on('secureConnection', () => void seen.connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = createWebhookCaller({ clock: realClock, resolveService: () => undefined });
  onTestFinished(() => {
    caller.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
  /** Text before a certificate is ignored, but makes another authority of it. */
  const call = (authority = 0) =>
    caller.call({ url, caBundle: Buffer.from(`${authority}\n${ca}`).toString('base64') }, {}, 10);
  return { call, seen };
}

describe('a call of a webhook', () => {
  it('is sent again if the webhook closes the connection that was kept for it', async () => {
    const { call, seen } = await serve([2]);
    await call();
    expect(await call()).toEqual({ answer: true });
    expect(seen).toEqual({ requests: 3, connections: 2 });
  });

  it('is not sent again if the webhook closes a new connection', async () => {
    const { call, seen } = await serve([1]);
    await expect(call()).rejects.toBeInstanceOf(KubeError);
    expect(seen.requests).toBe(1);
  });

  it('takes a connection that was kept, as long as no hundred other authorities were used', async () => {
    const { call, seen } = await serve();
    for (let authority = 0; authority <= maxAgents; authority++) await call(authority);
    expect(seen.connections).toBe(maxAgents + 1);
    await call(maxAgents);
    await call(1);
    expect(seen.connections).toBe(maxAgents + 1);
    await call(0);
    expect(seen.connections).toBe(maxAgents + 2);
  });
});
