import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EnvtestError, envtestErrorCodes } from './errors.ts';

test('the table of the README has exactly the codes that there are, with their meanings', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([A-Z]\w+)` +\| (.+?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(rows).toEqual(Object.entries(envtestErrorCodes).map(([code, { meaning }]) => [code, meaning]));
});

test('the message starts with the code, the hint is the general one unless given, and the cause is kept', () => {
  const cause = new Error('EADDRINUSE');
  const error = new EnvtestError('PortInUse', 'port 1 is taken', { cause });
  expect([error.message, error.hint, error.cause]).toEqual([
    'PortInUse: port 1 is taken',
    envtestErrorCodes.PortInUse.hint,
    cause,
  ]);
  expect(new EnvtestError('PortInUse', 'x', { hint: 'wait' }).hint).toBe('wait');
});
