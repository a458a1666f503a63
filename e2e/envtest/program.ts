import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const hooks = new URL('./source-packages.mjs', import.meta.url).href;

/** Runs a TypeScript program of its own process, on the sources of the workspace. */
export function startProgram(
  file: URL | string,
  args: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  return spawn(process.execPath, ['--import', hooks, path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}
