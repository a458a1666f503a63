import { spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';
import { readyMark } from './next-steps.ts';

/** Where a detached fleet lives unless the user says otherwise. */
export const fleetDirectory = (env: CliContext['env'], dataDir: string | undefined): string =>
  dataDir !== undefined
    ? resolve(dataDir)
    : join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state'), 'flotilla');

/** Runs `flotilla up` in the background, and resolves when its fleet is ready. `args` are those of `up`. */
export async function detachUp(
  context: CliContext,
  { directory, args, timeout }: { directory: string; args: readonly string[]; timeout: number },
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
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
  const text = await waitFor<string>(
    context,
    { goal: 'the fleet', hint, timeoutMs: timeout * 1000, progress },
    async () => {
      const written = await readFile(logPath, 'utf8');
      if (exitCode !== undefined)
        throw new CliError('failed', `the fleet ended before it was ready:\n${written.trimEnd()}`, hint);
      return written.includes(readyMark) ? { found: written } : { pending: 'clusters are joining' };
    },
  );
  child.unref();
  context.out.write(text);
}
