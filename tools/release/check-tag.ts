// Fails if a tag is not the version of every package: node tools/release/check-tag.ts v0.1.0
import { join } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { tagErrors } from './tag-errors.ts';

const tag = process.argv[2] ?? '';
const errors = tagErrors(tag, workspacePackages(join(import.meta.dirname, '../..')));
if (errors.length === 0) console.log(`release: every package has the version of ${tag}`);
else {
  console.error(['release:', ...errors].join('\n    '));
  process.exitCode = 1;
}
