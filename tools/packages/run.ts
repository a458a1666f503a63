import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a command; what it wrote if it ends otherwise than with the exit code, line by line. */
export async function run(
  command: string,
  flags: string[],
  cwd: string,
  label: string,
  exitCode = 0,
): Promise<string[]> {
  try {
    await promisify(execFile)(command, flags, { cwd });
    return exitCode === 0 ? [] : [`${label}: ended with 0 instead of ${exitCode}`];
  } catch (error) {
    if (exitCode !== 0 && error instanceof Error && 'code' in error && error.code === exitCode) return [];
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
    return (output.length > 0 ? output : [String(error)]).map((line) => `${label}: ${line}`);
  }
}
