import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cacheRoot, ensureBinaries } from '@flotilla/envtest';

const directory = fileURLToPath(new URL('.', import.meta.url));

/** The server that the checks run on. */
export interface CheckedServer {
  /** The administrator's. */
  readonly kubeconfigPath: string;
  /** Ends the server and starts it again at the same address with the same data. */
  restart(): Promise<void>;
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
  const programs = join(cacheRoot(process.env), 'client-go-checks');
  const program = join(programs, await hashOfSources());
  if (await isThere(program)) return program;
  await mkdir(programs, { recursive: true });
  // Others may compile the same at the same time: whoever is last replaces the same by the same.
  const fresh = await mkdtemp(join(programs, '.incomplete-'));
  try {
    await goBuild(join(fresh, 'program'));
    await rename(join(fresh, 'program'), program);
  } finally {
    await rm(fresh, { recursive: true });
  }
  return program;
}

/** Runs all checks on a server. */
export async function runChecks(program: string, server: CheckedServer): Promise<CheckReport> {
  const kubectl = (await ensureBinaries()).path('kubectl');
  const child = spawn(program, ['--kubeconfig', server.kubeconfigPath, '--kubectl', kubectl], {
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

async function goBuild(output: string): Promise<void> {
  console.warn(
    'Compiling the checks of client-go: some seconds, or a few minutes where nothing of Kubernetes was compiled.',
  );
  const go = spawn('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', output, '.'], {
    cwd: directory,
    // The same settings as for the binaries of Kubernetes, so that what was compiled for them is used again.
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(go, 'close').catch((cause: unknown) => {
    throw new Error(
      'go cannot be run: these suites compile a program written in Go; install it from https://go.dev/dl',
      {
        cause,
      },
    );
  });
  const [said, [code]] = await Promise.all([text(go.stderr), closed]);
  if (code !== 0) throw new Error(`go build of ${directory} failed\n${said.trim().split('\n').slice(-20).join('\n')}`);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
