import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startProgram } from './program.ts';

test('the example of the README runs as it stands', async () => {
  const readme = readFileSync(new URL('../../packages/envtest/README.md', import.meta.url), 'utf8');
  const [, example] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  expect(example).toContain('startCluster');
  const directory = mkdtempSync(join(tmpdir(), 'envtest-readme-'));
  const file = join(directory, 'example.mts');
  writeFileSync(file, example ?? '');
  const program = startProgram(file);
  const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  rmSync(directory, { recursive: true });
  expect(stderr).toBe('');
  expect(code).toBe(0);
});
