import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows the example that the specs run', () => {
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(text('../README.md')) ?? [];
  expect(shown).toBe(text('../examples/my-push-agents.ts'));
});
