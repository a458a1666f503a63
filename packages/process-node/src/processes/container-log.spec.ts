import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
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
  out.end();
  err.end();
  await log.close(new Promise(() => {}));
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
    await log.close(new Promise(() => {}));
    expect((await end).done).toBe(true);
  });

  it('is followed no longer than its reader wants', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    const left = new AbortController();
    const reading = text(log, { follow: true }, left.signal);
    left.abort();
    expect(await reading).toBe('');
    await log.close(Promise.resolve());
  });

  it('ends although a grandchild keeps the pipe open', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    log.add(new PassThrough(), 'stdout');
    await log.close(Promise.resolve());
    expect(log.isEnded).toBe(true);
  });

  it('reads a process no faster than the disk takes its lines', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    let produced = 0;
    const line = 'x'.repeat(1023);
    const endless = new Readable({
      read() {
        produced += 1024;
        this.push(`${line}\n`);
      },
    });
    log.add(endless, 'stdout');
    while (log.end < 5_000_000) await new Promise((resolve) => setImmediate(resolve));
    expect(produced - log.end).toBeLessThan(1_000_000);
    await log.close(Promise.resolve());
    expect(endless.destroyed).toBe(true);
  });

  it('keeps the newest 10 to 20 MiB in two files, and is read across them', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, '0.log');
    const log = new ContainerLog(path, new FakeClock());
    const lines = 30_000;
    log.add(Readable.from(numbered(lines)), 'stdout');
    await log.close(new Promise(() => {}));
    const sizes = await Promise.all([path, `${path}.1`].map(async (file) => (await stat(file)).size));
    expect(Math.max(...sizes)).toBeLessThan(11 * 2 ** 20);
    expect(sizes[1]).toBeGreaterThanOrEqual(10 * 2 ** 20);
    const numbers = (await text(log)).trimEnd().split('\n').map(Number.parseFloat);
    const first = numbers[0] ?? 0;
    expect(first).toBeGreaterThan(0);
    expect(numbers).toEqual(Array.from({ length: lines - first }, (_, index) => first + index));
    expect((await text(log, { tailLines: 2 })).split('\n').map(Number.parseFloat)).toEqual([
      lines - 2,
      lines - 1,
      Number.NaN,
    ]);
    await log.remove();
    expect(await readdir(directory.path)).toEqual([]);
  });

  it('is followed although it is rotated meanwhile', async () => {
    await using directory = await temporaryDirectory();
    const log = new ContainerLog(join(directory.path, '0.log'), new FakeClock());
    const lines = 25_000;
    log.add(Readable.from(numbered(lines)), 'stdout');
    const reading = text(log, { follow: true });
    await log.close(new Promise(() => {}));
    const numbers = (await reading).trimEnd().split('\n').map(Number.parseFloat);
    expect(numbers.at(-1)).toBe(lines - 1);
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
  });
});

/** Lines of a kibibyte that begin with their number, a hundred at once. */
function* numbered(count: number): Generator<Buffer> {
  const lineOf = (number: number) => `${number} ${'x'.repeat(1000)}\n`;
  for (let first = 0; first < count; first += 100) {
    yield Buffer.from(Array.from({ length: 100 }, (_, index) => lineOf(first + index)).join(''));
  }
}
