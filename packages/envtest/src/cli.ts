#!/usr/bin/env node
// Only this is imported statically: a module that needs a newer Node would fail to link before the version check runs.
import { createRequire } from 'node:module';

const needed: string = createRequire(import.meta.url)('../package.json').engines.node.replace('>=', '');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) await import('./cli/main.ts');
else {
  const { execPath, versions } = process;
  process.stderr.write(
    `flotilla-envtest needs Node ${needed} or newer; this is Node ${versions.node} (${execPath}).\n`,
  );
  process.exitCode = 2;
}
