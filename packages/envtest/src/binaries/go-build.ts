import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import type { Watchdog } from '../processes/watchdog.ts';

/** Programs that Go compiles from one module. */
export interface GoPrograms {
  /** Where the go.mod lies that pins them, with its go.sum. */
  readonly moduleDirectory: string;
  /** Names of the files, and the packages they are compiled from, in the order in which they are made. */
  readonly packages: Readonly<Record<string, string>>;
  readonly linkerFlags: string;
  /** What is compiled and how long that takes, said before it begins. */
  readonly announcement: string;
  /** The whole message when Go is missing or cannot be used. */
  withoutGo(why: string): string;
}

/** What a build needs besides. */
export interface GoBuildOptions {
  /** Where the files go. */
  output: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Gets one line at a time. */
  log: (line: string) => void;
  watchdog: Watchdog;
}

/** After so long without output a line is logged, so that the build does not seem to hang. */
const heartbeatMs = 10_000;

/** Compiles programs from the Go module proxy, by the versions of go.mod and the hashes of go.sum. */
export async function buildGoPrograms(programs: GoPrograms, options: GoBuildOptions): Promise<void> {
  const { clock, log } = options;
  await requireGo(programs, options);
  log(programs.announcement);
  const packages = Object.entries(programs.packages);
  for (const [index, [name, goPackage]] of packages.entries()) {
    const label = `${name} (${index + 1}/${packages.length})`;
    const since = clock.monotonic();
    const elapsed = () => `${Math.round((clock.monotonic() - since) / 1000)} s`;
    log(`compiling ${label}`);
    const stopHeartbeat = every(clock, heartbeatMs, () => log(`still compiling ${label}, ${elapsed()}`));
    try {
      const args = ['build', '-trimpath', '-ldflags', programs.linkerFlags, '-o', join(options.output, name)];
      const run = await runGo(programs, options, [...args, goPackage]);
      if (run.code !== 0) {
        const said = run.stderr.trim().split('\n').slice(-20).join('\n');
        throw new EnvtestError('BuildFailed', `go build of ${goPackage} failed\n${said}`);
      }
    } finally {
      stopHeartbeat();
    }
    log(`compiled ${label} in ${elapsed()}`);
  }
}

/** Run in the directory of go.mod: Go itself reports if it is too old and cannot fetch a newer toolchain. */
async function requireGo(programs: GoPrograms, options: GoBuildOptions): Promise<void> {
  const run = await runGo(programs, options, ['version']).catch((cause: unknown) => {
    throw new EnvtestError('BinariesMissing', programs.withoutGo('Go is not installed'), { cause });
  });
  if (run.code !== 0) {
    const why = `Go cannot be used here: ${run.stderr.trim()}`;
    throw new EnvtestError('BinariesMissing', programs.withoutGo(why));
  }
}

async function runGo(
  { moduleDirectory }: GoPrograms,
  { env, watchdog }: GoBuildOptions,
  args: readonly string[],
): Promise<{ code: number; stderr: string }> {
  const go = spawn('go', args, {
    cwd: moduleDirectory,
    // The module stands for itself, whatever workspace, vendor directory or C compiler is around it.
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(go, 'close');
  const { pid } = go;
  if (pid !== undefined) watchdog.watch(pid);
  try {
    const [stderr, [code]] = await Promise.all([text(go.stderr), closed]);
    return { code, stderr };
  } finally {
    if (pid !== undefined) watchdog.forget(pid);
  }
}

function every(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel: () => void;
  const arm = () => {
    cancel = clock.schedule(ms, () => {
      callback();
      arm();
    });
  };
  arm();
  return () => cancel();
}
