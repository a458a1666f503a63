import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows in the README the example that the end-to-end suite runs', () => {
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
  expect(shown).toBe(read('../examples/team-contact.ts'));
});
