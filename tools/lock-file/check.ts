// Fails if `npm ci` would refuse package-lock.json on some platform: node tools/lock-file/check.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockProblems } from './lock-problems.ts';

const path = join(import.meta.dirname, '../../package-lock.json');
const problems = lockProblems(JSON.parse(readFileSync(path, 'utf8')));
if (problems.length === 0) console.log('lock file: complete for every platform');
else {
  console.error(['package-lock.json:', ...problems].join('\n    '));
  console.error(
    '\nTake package-lock.json from the last commit and run npm install again, with a registry that has these packages.' +
      '\nWhere there is none, lock them by hand: version, os, cpu, "optional": true.',
  );
  process.exitCode = 1;
}
