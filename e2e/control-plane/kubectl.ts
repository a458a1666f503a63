import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureBinaries } from '@flotilla/envtest';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  /** Stops it once it has said this, for `-w`. */
  readonly until?: RegExp;
}

/** A real kubectl with a home of its own, for one server. */
export interface Kubectl extends AsyncDisposable {
  /** Its output. Throws with what it said if it fails. */
  (args: string, options?: RunOptions): Promise<string>;
  /** How it ended, whatever that was. */
  run(args: string, options?: RunOptions): Promise<Run>;
}

/** Arguments are separated by spaces; quotes keep one together. */
const split = (args: string): string[] =>
  [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The kubectl that suites of real clusters use, with the given kubeconfig. */
export async function kubectlFor(kubeconfigPath: string): Promise<Kubectl> {
  const kubectl = (await ensureBinaries()).path('kubectl');
  const home = await mkdtemp(join(tmpdir(), 'flotilla-kubectl-'));
  const run = async (args: string, { stdin, until }: RunOptions = {}): Promise<Run> => {
    const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfigPath };
    const child = spawn(kubectl, split(args), { cwd: home, env });
    const closed = once(child, 'close');
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    let said = '';
    if (until) {
      child.stdout.on('data', (chunk) => {
        said += chunk;
        if (until.test(said)) child.kill();
      });
    }
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, stdout, stderr };
  };
  const call = async (args: string, options?: RunOptions): Promise<string> => {
    const { code, stdout, stderr } = await run(args, options);
    if (code !== 0 && !options?.until) throw new Error(`kubectl ${args} ended with ${code}: ${stderr || stdout}`);
    return stdout;
  };
  return Object.assign(call, { run, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) });
}
