import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ensureBinaries, ensureGoPrograms } from '@flotilla/envtest';

const directory = fileURLToPath(new URL('.', import.meta.url));

/** The server that the checks run on. */
export interface CheckedServer {
  /** The administrator's. */
  readonly kubeconfigPath: string;
  /** Ends the server and starts it again at the same address with the same data. */
  restart(): Promise<void>;
  /** How long a leader leads without renewal. Default 5 s, which is too short where requests pass several programs. */
  readonly leaseSeconds?: number;
}

/** What the checks said. */
export interface CheckReport {
  /** The names of all checks. */
  readonly planned: readonly string[];
  /** Why a check failed, or an empty text. */
  readonly errors: ReadonlyMap<string, string>;
}

/** The path of the compiled program; compiles it where its sources have never been compiled as they are. */
export async function buildChecks(): Promise<string> {
  const { checks } = await ensureGoPrograms({
    name: 'client-go-checks',
    version: await hashOfSources(),
    moduleDirectory: directory,
    packages: { checks: '.' },
    linkerFlags: '-s -w',
    announcement:
      'compiling the checks of client-go: some seconds, or a few minutes where nothing of Kubernetes was compiled',
    withoutGo: (why) =>
      `these suites run a program written in Go: ${why}. Install the Go that e2e/control-plane/client-go/go.mod asks for`,
  });
  return checks;
}

/** Runs all checks on a server. */
export async function runChecks(program: string, server: CheckedServer): Promise<CheckReport> {
  const kubectl = (await ensureBinaries()).path('kubectl');
  const lease = `--lease=${server.leaseSeconds ?? 5}s`;
  const child = spawn(program, ['--kubeconfig', server.kubeconfigPath, '--kubectl', kubectl, lease], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const said = text(child.stderr);
  try {
    const report = await readReport(child, server);
    const [code] = await closed;
    if (code !== 0) throw new Error(`the checks ended with ${code}: ${(await said).slice(-4000)}`);
    return report;
  } finally {
    child.kill();
  }
}

/** What the program prints, in the order of its lines. */
type Line = { planned: string[] } | { restart: true } | { check: string; error?: string };

async function readReport(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  server: CheckedServer,
): Promise<CheckReport> {
  let planned: readonly string[] = [];
  const errors = new Map<string, string>();
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text);
    if ('planned' in line) planned = line.planned;
    else if ('check' in line) errors.set(line.check, line.error ?? '');
    else {
      await server.restart();
      child.stdin.write('\n');
    }
  }
  return { planned, errors };
}

async function hashOfSources(): Promise<string> {
  const sources = (await readdir(directory)).filter((name) => /^go\.(mod|sum)$|\.go$/.test(name)).sort();
  const hash = createHash('sha256');
  for (const name of sources) {
    hash.update(`${name}\0`).update(await readFile(join(directory, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
