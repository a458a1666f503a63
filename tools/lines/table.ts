// Prints the lines of TypeScript in each package at two revisions, blank ones not counted: node tools/lines/table.ts <before> [after]
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { countLines, lineTable } from './count-lines.ts';

const [before, after = 'HEAD'] = process.argv.slice(2);
if (before === undefined)
  throw new Error('Name the revision to compare with: node tools/lines/table.ts <before> [after]');
const countAt = (revision: string) => {
  const args = ['grep', '--count', '--extended-regexp', '[^[:space:]]', revision, '--', '*.ts', ':!**/generated/**'];
  const cwd = join(import.meta.dirname, '../..');
  return countLines(execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }), revision);
};
console.log(lineTable(countAt(before), countAt(after)));
