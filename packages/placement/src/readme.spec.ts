import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { selected } from '../examples/schedule.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('README shows the example that is executed here', () => {
  expect(readText('../README.md')).toContain(`\`\`\`ts\n${readText('../examples/schedule.ts')}\`\`\``);
  expect(selected).toEqual(['c1']);
});
