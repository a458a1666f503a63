// Writes the table of packages into the README of the root: node tools/packages/generate.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readmeWithTable } from './readme-table.ts';

const root = join(import.meta.dirname, '../..');
writeFileSync(join(root, 'README.md'), readmeWithTable(root));
