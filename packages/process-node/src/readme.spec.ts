import { readFileSync } from 'node:fs';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { firstPod } from '../examples/first-pod.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows the example in the README', () => {
  expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/first-pod.ts'));
});

it('has an example that runs a pod', async () => {
  await using directory = await temporaryDirectory();
  expect(await firstPod(directory.path)).toBe('I run on process-node\n');
});
