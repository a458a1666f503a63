import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { bundleOf } from '../registration/program.ts';

/** What a command came to. */
export interface ShellResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that runs. */
export interface ShellProgram extends AsyncDisposable {
  /** What it has said so far, on both outputs. */
  readonly said: string;
  readonly ended: Promise<ShellResult>;
  /** As Ctrl-C does. */
  interrupt(): void;
}

/** A shell in which `flotilla` and `flotilla-hub` are commands, as after an installation, and nothing of this machine but its PATH. */
export interface Shell {
  run(line: string): Promise<ShellResult>;
  start(line: string): ShellProgram;
}

/** Makes one; its files are in the directory. `paths` are put before the others, and `more` is what else its environment has. */
export async function openShell(
  directory: string,
  paths: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Shell> {
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, app] of Object.entries({ flotilla: 'cli', 'flotilla-hub': 'hub' })) {
    const command = join(bin, name);
    await writeFile(command, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${bundleOf(app)} "$@"\n`);
    await chmod(command, 0o755);
  }
  // Programs that serve their health take a free port: others on this machine may have the usual one.
  const env = {
    PATH: [bin, ...paths, process.env.PATH].join(':'),
    HOME: directory,
    // The binaries of Kubernetes are not compiled for every suite.
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    ...(process.env.KUBEBUILDER_ASSETS && { KUBEBUILDER_ASSETS: process.env.KUBEBUILDER_ASSETS }),
    FLOTILLA_LISTEN: '127.0.0.1:0',
    ...more,
  };
  const start = (line: string): ShellProgram => {
    // `exec`: the signal is for the program, not for the shell.
    const child = spawn('sh', ['-c', `exec ${line}`], { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: directory });
    return follow(child);
  };
  return { start, run: (line) => start(line).ended };
}

function follow(child: ChildProcess): ShellProgram {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, out, err }));
  return {
    get said() {
      return out + err;
    },
    ended,
    interrupt: () => void child.kill('SIGINT'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
