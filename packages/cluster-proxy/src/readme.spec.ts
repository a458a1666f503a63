import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows in the README the example that the specs use', () => {
  expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/reach-cluster.ts'));
});
