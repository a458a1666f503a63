#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { realClock } from '@flotilla/kube/clock';
import { type Connector, callerDirectory, programName } from './context.ts';
import { exitCodes } from './errors/cli-error.ts';
import { ignoreClosedPipes } from './output/closed-pipe.ts';
import { abortAtInterrupts } from './output/interrupts.ts';
import { run } from './run.ts';

/** The hub of a checkout lies beside this program, on no path that a shell searches. */
const hubOfCheckout = fileURLToPath(new URL('../../hub/dist/flotilla-hub.js', import.meta.url));
const agentOfCheckout = fileURLToPath(new URL('../../singleton/deploy', import.meta.url));
const { env } = process;
// Deprecations are about this program and its libraries: users can do nothing about them.
process.noDeprecation = true;
const directory = callerDirectory(env);
if (directory !== undefined) process.chdir(directory);
ignoreClosedPipes([process.stdout, process.stderr], (error) => {
  process.stderr.write(`Error: the output cannot be written: ${error.message}\n`);
  process.exitCode = exitCodes.failed;
});
const clock = realClock;
/** Loaded when a cluster is talked to: `flotilla version` and completion need no client. */
const connector = async (): Promise<Connector> =>
  (await import('./cluster/connect.ts')).networkConnector({ env, clock });

const end = new AbortController();
const interrupts = abortAtInterrupts(process, end);
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  using terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal: end.signal });
  } catch (error) {
    // Ctrl-C at a question is a key, not a signal.
    end.abort();
    throw error;
  }
}
/** What pods of `up --operator` run instead of a command line: `program hub controller …`. */
const [first, programOfPod = '', ...argsOfPod] = process.argv.slice(2);
if (first === 'program') {
  const { runProgram } = await import('./up/programs.ts');
  await runProgram(programOfPod, argsOfPod);
  process.exit();
}
const exitCode = await run(process.argv.slice(2), {
  env,
  out: process.stdout,
  err: process.stderr,
  clock,
  signal: end.signal,
  program: programName(env, process.argv[1]),
  // The Node of a shell may be too old for it; this one is not.
  hubProgram: existsSync(hubOfCheckout) ? `${process.execPath} ${hubOfCheckout}` : 'flotilla-hub',
  script: fileURLToPath(import.meta.url),
  agentManifests: existsSync(agentOfCheckout) ? agentOfCheckout : 'apps/singleton/deploy',
  connector: {
    toCluster: async (choice) => (await connector()).toCluster(choice),
    toServer: async (access) => (await connector()).toServer(access),
  },
  readStdin: () => text(process.stdin),
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
});
// A failure to write the output counts although the command did its work.
process.exitCode ??= exitCode;
interrupts[Symbol.dispose]();
