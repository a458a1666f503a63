import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { ignoreClosedPipes } from './closed-pipe.ts';

it('ignores that no program reads, and reports every other failure to write', () => {
  const [out, err] = [new EventEmitter(), new EventEmitter()];
  const failures: Error[] = [];
  ignoreClosedPipes([out, err], (error) => failures.push(error));
  for (const output of [out, err]) output.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(failures).toEqual([]);
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  out.emit('error', full);
  expect(failures).toEqual([full]);
});
