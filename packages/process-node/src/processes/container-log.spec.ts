import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { ContainerLog } from './container-log.ts';
import { type LogSelection, readLog } from './read-log.ts';

async function text(log: ContainerLog, selection: LogSelection = {}, signal = new AbortController().signal) {
  let read = '';
  for await (const part of readLog(log, selection, signal)) read += part;
  return read;
}

/** A log with three lines, each a second after the one before, the last without its end. */
async function endedLog(directory: string) {
  const clock = new FakeClock();
  const start = clock.now();
  const log = new ContainerLog(join(directory, 'logs/0.log'), clock);
  const [out, err] = [new PassThrough(), new PassThrough()];
  log.add(out, 'stdout');
  log.add(err, 'stderr');
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  out.write('one\n');
  await turn();
  await clock.advance(1000);
  err.write('two\n');
  await turn();
  await clock.advance(1000);
  out.write('thr');
  out.write('ee');
  out.destroy();
  err.destroy();
  await log.end(new Promise(() => {}));
  return { log, start };
}

describe('the log of a container', () => {
  it('has all lines in their order, also one without an end', async () => {
    await using directory = await temporaryDirectory();
    const { log } = await endedLog(directory.path);
    expect(await text(log)).toBe('one\ntwo\nthree\n');
  });

  it('is read in part', async () => {
    await using directory = await temporaryDirectory();
    const { log, start } = await endedLog(directory.path);
    expect(await text(log, { tailLines: 2 })).toBe('two\nthree\n');
    expect(await text(log, { tailLines: 0 })).toBe('');
    expect(await text(log, { since: start + 1500 })).toBe('three\n');
    expect(await text(log, { stream: 'stderr' })).toBe('two\n');
    expect(await text(log, { limitBytes: 6 })).toBe('one\ntw');
    const stamp = new Date(start).toISOString().replace('Z', '000000Z');
    expect(await text(log, { timestamps: true, limitBytes: 35 })).toBe(`${stamp} one\n`);
  });

  it('is followed until it ends', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    const out = new PassThrough();
    log.add(out, 'stdout');
    const reading = readLog(log, { follow: true }, new AbortController().signal);
    const first = reading.next();
    out.write('one\n');
    expect(await first).toEqual({ done: false, value: 'one\n' });
    const second = reading.next();
    out.write('two\n');
    expect(await second).toEqual({ done: false, value: 'two\n' });
    const end = reading.next();
    out.destroy();
    await log.end(new Promise(() => {}));
    expect((await end).done).toBe(true);
  });

  it('is followed no longer than its reader wants', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    const left = new AbortController();
    const reading = text(log, { follow: true }, left.signal);
    left.abort();
    expect(await reading).toBe('');
    await log.end(Promise.resolve());
  });

  it('ends although a grandchild keeps the pipe open', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    log.add(new PassThrough(), 'stdout');
    await log.end(Promise.resolve());
    expect(log.isEnded).toBe(true);
  });
});
