import { expect, it } from 'vitest';
import { progressLogger } from './progress-logger.ts';

it('writes failures and their end, each part by itself, the key of a request, and nothing else', () => {
  const lines: string[] = [];
  const log = progressLogger({
    update() {},
    busy() {},
    pause() {},
    done: (line) => lines.push(line),
    [Symbol.dispose]() {},
  });
  const [works, secrets] = [log.child({ resource: 'works' }), log.child({ resource: 'secrets' })];
  works.info('following the server');
  works.warn('cannot follow the server', { error: new Error('Expired: too old') });
  secrets.info('unrelated');
  works.info('following the server again');
  works.info('unrelated');
  secrets.info('requested a certificate', { request: 'c1-x', fingerprint: 'sha256:ab' });
  expect(lines).toEqual([
    'cannot follow the server: Expired: too old',
    'following the server again',
    'requested a certificate: request c1-x, fingerprint sha256:ab',
  ]);
});
