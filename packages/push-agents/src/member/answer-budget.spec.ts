import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { realClock } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { makeServingPair } from '@flotilla/kube/pki';
import { memberSecret } from '@flotilla/registration-core/push';
import { expect, it } from 'vitest';
import { startPushWorld } from '../fixtures/push-world.ts';

const poll = { timeout: 20_000, interval: 20 };
const available = 'ManagedClusterConditionAvailable';
const mebibyte = 2 ** 20;

it('a member whose answers need more than 64 MiB is not available, and costs no other member anything', async () => {
  const pair = await makeServingPair(['127.0.0.1'], { now: realClock.now(), lifeMs: 3_600_000 });
  const large = gzipSync(Buffer.alloc(64 * mebibyte + 1, ' '));
  const server = createServer({ key: pair.key, cert: pair.certificate }, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(large);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => void server.close());
  await using world = await startPushWorld();
  const greedy = await world.addCluster('greedy');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  const access = { server: `https://127.0.0.1:${port}`, ca: pair.ca };
  const credential = { access, token: 't', serviceAccount: 'a/b', hubServer: 'https://hub.example' };
  await world.hub.client.resource(secrets).create(memberSecret(greedy, credential));
  await world.addCluster('c1');
  await world.giveAccess('c1');
  await world.accept('greedy');
  await world.accept('c1');
  world.start();
  await expect
    .poll(async () => (await world.condition('greedy', available))?.message, poll)
    .toContain(`more than ${64 * mebibyte} bytes`);
  await expect.poll(async () => (await world.condition('c1', available))?.status, poll).toBe('True');
});
