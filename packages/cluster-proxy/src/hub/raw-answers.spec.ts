import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { writeStatus } from './raw-answers.ts';

it('keeps no connection of a caller that is refused and does not end its side', async () => {
  const [server, caller] = duplexPair();
  writeStatus(server, { code: 401, reason: 'Unauthorized', message: 'who are you' });
  expect(await text(caller)).toContain('who are you');
  await expect.poll(() => server.destroyed).toBe(true);
});
