import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Observation } from '@flotilla/install';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { startProgress } from '../output/progress.ts';
import { refuseIfInUse } from './control-socket.ts';
import { makeDataDirectory } from './data-directory.ts';
import { type ReadyFleet, readReadyFile, removeReadyFile } from './ready-file.ts';

/** Where a detached fleet lives unless the user says otherwise. */
export const fleetDirectory = (env: CliContext['env'], dataDir: string | undefined): string =>
  dataDir !== undefined
    ? resolve(dataDir)
    : join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state'), 'flotilla');

/** A fleet that runs in the background. */
export interface DetachedFleet {
  readonly fleet: ReadyFleet;
  /** What its `up` has printed. */
  readonly printed: string;
}

/** Runs `flotilla up` in the background. Resolves with its fleet and what it printed when that is ready. `args` are those of `up`. */
export async function detachUp(
  context: CliContext,
  { directory, args, timeout }: { directory: string; args: readonly string[]; timeout: number },
): Promise<DetachedFleet> {
  await makeDataDirectory(directory);
  await refuseIfInUse(directory);
  await removeReadyFile(directory);
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
  const observe = async (): Promise<Observation<DetachedFleet>> => {
    if (exitCode !== undefined) {
      const printed = await readFile(logPath, 'utf8');
      throw new CliError('failed', `the fleet ended before it was ready:\n${printed.trimEnd()}`, hint);
    }
    const fleet = await readReadyFile(directory);
    if (!fleet) return { pending: 'clusters are joining' };
    return { found: { fleet, printed: await readFile(logPath, 'utf8') } };
  };
  try {
    return await waitFor(context, { goal: 'the fleet', hint, timeoutMs: timeout * 1000, progress }, observe);
  } catch (error) {
    // Also after Ctrl-C: a fleet that is not waited for must not be left running.
    child.kill('SIGTERM');
    throw error;
  } finally {
    child.unref();
  }
}
