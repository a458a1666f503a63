#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { realClock } from '@flotilla/kube';
import { programName } from './context.ts';
import { run } from './run.ts';

const end = new AbortController();
const stop = () => end.abort();
process.once('SIGINT', stop).once('SIGTERM', stop);
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  clock: realClock,
  signal: end.signal,
  program: programName(process.env),
  readStdin: () => text(process.stdin),
});
process.off('SIGINT', stop).off('SIGTERM', stop);
