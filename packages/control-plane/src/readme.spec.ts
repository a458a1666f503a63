import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { firstObject } from '../examples/first-object.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows in the README the example that is run here', async () => {
  const [block] = [...read('../README.md').matchAll(/```ts\n([\s\S]*?)```/g)];
  expect(block?.[1]).toBe(read('../examples/first-object.ts'));
  expect(await firstObject()).toBe('world');
});
