import { expect, it, vi } from 'vitest';
import { stderrLogger } from './stderr-logger.ts';

it('writes text lines to standard error, and no debug lines', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    const log = stderrLogger.child({ controller: 'widget' });
    log.debug('not shown');
    log.info('made', { key: 'a/b', size: 3, absent: undefined });
    log.error('failed', { error: new Error('it broke'), hint: 'Fix it.' });
  } finally {
    write.mockRestore();
  }
  expect(lines).toEqual([
    'INFO  made controller=widget key=a/b size=3\n',
    'ERROR failed controller=widget error="it broke" hint="Fix it."\n',
  ]);
});
