import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { startProgress } from '../output/progress.ts';
import { type Look, waitFor } from '../waiting.ts';
import { refuseIfInUse } from './control-socket.ts';
import { makeDataDirectory } from './data-directory.ts';
import { readyMark } from './next-steps.ts';

/** Where a detached fleet lives unless the user says otherwise. */
export const fleetDirectory = (env: CliContext['env'], dataDir: string | undefined): string =>
  dataDir !== undefined
    ? resolve(dataDir)
    : join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state'), 'flotilla');

/** Runs `flotilla up` in the background, and resolves with what it said when its fleet is ready. `args` are those of `up`. */
export async function detachUp(
  context: CliContext,
  { directory, args, timeout }: { directory: string; args: readonly string[]; timeout: number },
): Promise<string> {
  await makeDataDirectory(directory);
  await refuseIfInUse(directory);
  const logPath = join(directory, 'up.log');
  const log = await open(logPath, 'w', 0o600);
  const program = process.argv[1] ?? '';
  const child = spawn(process.execPath, [program, 'up', '--data-dir', directory, ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: context.env,
  });
  let exitCode: number | undefined;
  child.once('exit', (code) => {
    exitCode = code ?? 1;
  });
  await log.close();
  using progress = startProgress(context);
  const hint = `Read ${logPath}.`;
  const look = async (): Promise<Look<string>> => {
    const written = await readFile(logPath, 'utf8');
    if (exitCode !== undefined) {
      throw new CliError('failed', `the fleet ended before it was ready:\n${written.trimEnd()}`, hint);
    }
    return written.includes(readyMark) ? { found: written } : { pending: 'clusters are joining' };
  };
  try {
    return await waitFor(context, { goal: 'the fleet', hint, timeoutMs: timeout * 1000, progress }, look);
  } catch (error) {
    // Also after Ctrl-C: what nobody waits for must not be left running.
    child.kill('SIGTERM');
    throw error;
  } finally {
    child.unref();
  }
}
