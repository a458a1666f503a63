import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readmeWithTable } from './readme-table.ts';

const root = join(import.meta.dirname, '../..');

it('lists every package and program in the README, as npm run generate writes it', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe(readmeWithTable(root));
});
