import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tailFile } from './log-tail.ts';

const file = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'envtest-spec-')), 'log');
  writeFileSync(path, text);
  return path;
};

test.each([
  ['the last lines are given', 'a\nb\nc\n', 2, 'b\nc'],
  ['a short log is given whole', 'a\n', 5, 'a'],
  ['an empty log says so', '', 5, '(the log is empty)'],
])('%s', async (_what, text, lines, expected) => {
  expect(await tailFile(file(text), lines)).toBe(expected);
});

test('only the end of a large log is read', async () => {
  expect(await tailFile(file(`${'x'.repeat(1_000_000)}\nlast\n`), 1)).toBe('last');
});

test('a missing log says so', async () => {
  expect(await tailFile('/nowhere/log', 5)).toBe('(no log at /nowhere/log)');
});
