import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startProgram } from '../envtest/program.ts';

const cli = new URL('../../packages/control-plane/src/cli.ts', import.meta.url);

type Running = ReturnType<typeof startProgram>;

/** The embedded control plane as users run it: a process of its own, with a data directory. */
export class ServerProcess implements AsyncDisposable {
  readonly #directory: string;
  readonly kubeconfigPath: string;
  #process: Running;

  private constructor(directory: string, started: Running) {
    this.#directory = directory;
    this.kubeconfigPath = kubeconfigIn(directory);
    this.#process = started;
  }

  static async start(): Promise<ServerProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-server-process-'));
    return new ServerProcess(directory, await launch(directory, '0'));
  }

  /** Ends it and starts it on the same port and data; twice, once in good order and once by a crash. */
  async restart(): Promise<void> {
    const [, port = ''] =
      /^\s*server: https:\/\/127\.0\.0\.1:(\d+)$/m.exec(await readFile(this.kubeconfigPath, 'utf8')) ?? [];
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await end(this.#process, signal);
      this.#process = await launch(this.#directory, port);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#process);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

const kubeconfigIn = (directory: string): string => join(directory, 'kubeconfig.yaml');

async function launch(directory: string, port: string): Promise<Running> {
  const started = startProgram(cli, ['--data-dir', directory, '--port', port]);
  let said = '';
  started.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4000);
  });
  for await (const line of createInterface({ input: started.stdout })) {
    if (!line.startsWith('Ready.')) continue;
    started.stdout.resume();
    return started;
  }
  throw new Error(`flotilla-control-plane has not started: ${said}`);
}

async function end(running: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  const exited = once(running, 'exit');
  running.kill(signal);
  await exited;
}
