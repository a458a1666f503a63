import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { binaryNames, binaryPackages } from './binaries.ts';
import { threeWays } from './three-ways.ts';
import type { KubernetesVersions } from './versions.ts';

/** What a build needs. */
export interface GoBuildOptions {
  /** Where the go.mod lies. */
  moduleDirectory: string;
  versions: KubernetesVersions;
  /** Where the files go. */
  output: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Gets one line at a time. */
  log: (line: string) => void;
  watchdog: Watchdog;
}

/** A log without a line for so long looks like a hanging one. */
const heartbeatMs = 10_000;

/** Compiles all binaries from the Go module proxy, by the versions of go.mod and the hashes of go.sum. */
export async function buildBinaries(options: GoBuildOptions): Promise<void> {
  const { versions, clock, log } = options;
  await requireGo(options);
  log(
    `compiling Kubernetes ${versions.kubernetes} and etcd ${versions.etcd}; the first time this takes about 8 minutes on 2 cores`,
  );
  for (const [index, name] of binaryNames.entries()) {
    const label = `${name} (${index + 1}/${binaryNames.length})`;
    const since = clock.monotonic();
    const elapsed = () => `${Math.round((clock.monotonic() - since) / 1000)} s`;
    log(`compiling ${label}`);
    const stopHeartbeat = every(clock, heartbeatMs, () => log(`still compiling ${label}, ${elapsed()}`));
    try {
      const args = [
        'build',
        '-trimpath',
        '-ldflags',
        linkerFlags(versions.kubernetes),
        '-o',
        join(options.output, name),
      ];
      const run = await runGo(options, [...args, binaryPackages[name]]);
      if (run.code !== 0) {
        const said = run.stderr.trim().split('\n').slice(-20).join('\n');
        throw new EnvtestError('BuildFailed', `go build of ${binaryPackages[name]} failed\n${said}`);
      }
    } finally {
      stopHeartbeat();
    }
    log(`compiled ${label} in ${elapsed()}`);
  }
}

/** Without these the binaries would call themselves v0.0.0-master, and clients would draw wrong conclusions. */
export function linkerFlags(version: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  if (!major || !minor) throw new EnvtestError('InvalidOption', `${version} is not a version of Kubernetes`);
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const stamped = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((variables) =>
    Object.entries(stamps).map(([name, value]) => `-X ${variables}.${name}=${value}`),
  );
  return ['-s', '-w', ...stamped].join(' ');
}

/** Asked in the directory of go.mod, Go itself says if it is too old and may not fetch a newer toolchain. */
async function requireGo(options: GoBuildOptions): Promise<void> {
  const run = await runGo(options, ['version']).catch((cause: unknown) => {
    throw new EnvtestError('BinariesMissing', threeWays(options.versions, 'Go is not installed'), { cause });
  });
  if (run.code !== 0) {
    throw new EnvtestError(
      'BinariesMissing',
      threeWays(options.versions, `Go cannot be used here: ${run.stderr.trim()}`),
    );
  }
}

async function runGo(options: GoBuildOptions, args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const go = spawn('go', args, {
    cwd: options.moduleDirectory,
    // The module stands for itself, whatever workspace, vendor directory or C compiler is around it.
    env: { ...options.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(go, 'close');
  const { pid } = go;
  if (pid !== undefined) options.watchdog.watch(pid);
  try {
    const [stderr, [code]] = await Promise.all([text(go.stderr), closed]);
    return { code, stderr };
  } finally {
    if (pid !== undefined) options.watchdog.forget(pid);
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
