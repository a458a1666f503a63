#!/usr/bin/env node
import { createProgram } from './cli/program.ts';
import { EnvtestError } from './errors.ts';

try {
  await createProgram({ env: process.env, out: process.stdout, err: process.stderr }).parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof EnvtestError)) throw error;
  process.stderr.write(`flotilla-envtest: ${error.message}\nhint: ${error.hint}\n`);
  process.exitCode = 1;
}
