import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readyReplicas } from '../examples/first-addon.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the example of the README', () => {
  it('is the file that is run here', () => {
    expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/first-addon.ts'));
  });

  it('has its agent on the cluster', async () => {
    expect(await readyReplicas()).toBe(2);
  });
});
