#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { realClock } from '@flotilla/kube/clock';
import { type Connector, programName } from './context.ts';
import { run } from './run.ts';

/** The hub of a checkout lies beside this program, on no path that a shell looks at. */
const hubOfCheckout = fileURLToPath(new URL('../../hub/dist/flotilla-hub.js', import.meta.url));
const { env } = process;
const clock = realClock;
/** Loaded when a cluster is talked to: `flotilla version` and completion need no client. */
const connector = async (): Promise<Connector> => (await import('./connect.ts')).networkConnector({ env, clock });

const end = new AbortController();
const stop = () => end.abort();
process.once('SIGINT', stop).once('SIGTERM', stop);
process.exitCode = await run(process.argv.slice(2), {
  env,
  out: process.stdout,
  err: process.stderr,
  clock,
  signal: end.signal,
  program: programName(env),
  hubProgram: existsSync(hubOfCheckout) ? `node ${hubOfCheckout}` : 'flotilla-hub',
  connector: {
    toCluster: async (choice) => (await connector()).toCluster(choice),
    toServer: async (access) => (await connector()).toServer(access),
  },
  readStdin: () => text(process.stdin),
});
process.off('SIGINT', stop).off('SIGTERM', stop);
