import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import manifest from '@flotilla/control-plane/package.json' with { type: 'json' };

/** The embedded control plane as a process of its own, as a user runs it. */
export interface EmbeddedProcess extends AsyncDisposable {
  readonly pid: number;
  readonly kubeconfigPath: string;
  /** From the start of the process until it says that it serves. */
  readonly startMs: number;
}

const manifestUrl = import.meta.resolve('@flotilla/control-plane/package.json');
const program = fileURLToPath(new URL(manifest.bin['flotilla-control-plane'], manifestUrl));

/** Starts it with its state in a SQLite file. */
export async function startEmbedded(): Promise<EmbeddedProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
  const began = performance.now();
  const child = spawn(process.execPath, [program, '--data-dir', directory, '--port', '0', '--logging-format', 'json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: child.stderr })) if (JSON.parse(line).msg === 'serving') break;
  const startMs = performance.now() - began;
  child.stderr.resume();
  if (child.pid === undefined || child.exitCode !== null) throw new Error('the control plane did not start');
  return {
    pid: child.pid,
    kubeconfigPath: join(directory, 'kubeconfig.yaml'),
    startMs,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(directory, { recursive: true });
    },
  };
}
