import { EnvtestError } from '../errors.ts';
import { createProgram } from './program.ts';

try {
  await createProgram({ env: process.env, out: process.stdout, err: process.stderr }).parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof EnvtestError)) throw error;
  process.stderr.write(`flotilla-envtest: ${error.message}\nhint: ${error.hint}\n`);
  process.exitCode = 1;
}
