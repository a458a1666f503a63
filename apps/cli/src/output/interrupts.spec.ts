import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { abortAtInterrupts } from './interrupts.ts';

it.each([
  ['on a terminal, with its cursor', true, ['\x1b[?25h', 130]],
  ['in a log, without a word', false, [130]],
])('aborts at the first Ctrl-C, and ends the program at the second: %s', (_, isTTY, expected) => {
  const seen: (string | number)[] = [];
  const stderr = { isTTY, write: (text: string) => seen.push(text) };
  const process = Object.assign(new EventEmitter(), { stderr, exit: (code: number) => void seen.push(code) });
  const end = new AbortController();
  {
    using _interrupts = abortAtInterrupts(process, end);
    process.emit('SIGINT');
    expect([end.signal.aborted, seen]).toEqual([true, []]);
    process.emit('SIGTERM');
    expect(seen).toEqual(expected);
  }
  expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
});
