// Fails if `npm ci` would refuse a package-lock.json on some platform: node tools/lock-file/check.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockErrors } from './lock-errors.ts';

const root = join(import.meta.dirname, '../..');
for (const file of ['package-lock.json', 'docs/package-lock.json']) {
  const errors = lockErrors(JSON.parse(readFileSync(join(root, file), 'utf8')));
  if (errors.length === 0) console.log(`${file}: complete for every platform`);
  else {
    console.error([`${file}:`, ...errors].join('\n    '));
    console.error(
      `\nTake ${file} from the last commit and run npm install again, with a registry that has these packages.` +
        '\nWhere there is none, lock them by hand: version, os, cpu, "optional": true.',
    );
    process.exitCode = 1;
  }
}
