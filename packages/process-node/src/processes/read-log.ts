import { createInterface } from 'node:readline';
import type { EpochMs } from '@flotilla/kube/clock';
import { firstValueFrom } from 'rxjs';
import type { ContainerLog } from './container-log.ts';

/** Which part of a log, as `PodLogOptions` has it. */
export interface LogSelection {
  readonly tailLines?: number;
  readonly timestamps?: boolean;
  /** Milliseconds since the epoch. */
  readonly since?: EpochMs;
  readonly limitBytes?: number;
  readonly stream?: 'stdout' | 'stderr';
  readonly follow?: boolean;
}

interface LogLine {
  readonly time: string;
  readonly stream: string;
  readonly text: string;
}

function parseLine(line: string): LogLine | undefined {
  const [, time, stream, text] = /^(\S+) (\S+) [FP] (.*)$/s.exec(line) ?? [];
  return time === undefined || stream === undefined || text === undefined ? undefined : { time, stream, text };
}

/** A log, as its readers use it. */
type ReadableLog = Pick<ContainerLog, 'segment' | 'end' | 'written' | 'isEnded'>;

/** The log of a container as text; with `follow` until it ends or the signal aborts. */
export async function* readLog(log: ReadableLog, selection: LogSelection, signal: AbortSignal): AsyncGenerator<string> {
  let budget = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of selectedLines(log, selection, signal)) {
    const bytes = Buffer.from(selection.timestamps ? `${line.time} ${line.text}\n` : `${line.text}\n`);
    yield bytes.subarray(0, budget).toString('utf8');
    budget -= bytes.length;
    if (budget <= 0) return;
  }
}

async function* selectedLines(
  log: ReadableLog,
  { tailLines, since = 0, stream, follow = false }: LogSelection,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const matches = (line: LogLine) => (!stream || line.stream === stream) && Date.parse(line.time) >= since;
  let position = 0;
  if (tailLines !== undefined) {
    const tail = await lastLines(log, tailLines, matches);
    yield* tail.lines;
    // What was left out is left out; what comes later is shown whole.
    position = tail.next;
  }
  for (;;) {
    const isEnded = log.isEnded;
    for await (const { line, next } of linesFrom(log, position)) {
      position = next;
      if (line && matches(line)) yield line;
      if (signal.aborted) return;
    }
    if (!follow || isEnded) return;
    await nextWrite(log, position, signal);
    if (signal.aborted) return;
  }
}

/** The last lines that match, and the position after them. No more than the files of a log hold are in memory. */
async function lastLines(
  log: ReadableLog,
  count: number,
  matches: (line: LogLine) => boolean,
): Promise<{ lines: LogLine[]; next: number }> {
  const ring: LogLine[] = [];
  let seen = 0;
  let next = 0;
  for await (const found of linesFrom(log, 0)) {
    next = found.next;
    if (count > 0 && found.line && matches(found.line)) ring[seen++ % count] = found.line;
  }
  const first = seen > count && count > 0 ? seen % count : 0;
  return { lines: [...ring.slice(first), ...ring.slice(0, first)], next };
}

/** The lines that are there now, from a position on. `next` is where to go on after the last of them: parts of a log are whole lines. */
async function* linesFrom(log: ReadableLog, from: number): AsyncGenerator<{ line?: LogLine; next: number }> {
  // A container may write as fast as its log is read.
  const end = log.end;
  for (let position = from; position < end; ) {
    await using segment = await log.segment(position);
    if (!segment) return;
    const { file, start, next } = segment;
    const input = file.createReadStream({ start, end: segment.end - 1, encoding: 'utf8', autoClose: false });
    for await (const raw of createInterface({ input, crlfDelay: 0 })) {
      const line = parseLine(raw);
      yield line ? { line, next } : { next };
    }
    position = next;
  }
}

/** Resolves when the log has more than was read, has ended, or the reader left. */
async function nextWrite(log: ReadableLog, position: number, signal: AbortSignal): Promise<void> {
  if (log.end > position || log.isEnded) return;
  const left = Promise.withResolvers<void>();
  const leave = () => left.resolve();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([firstValueFrom(log.written, { defaultValue: undefined }), left.promise]);
  signal.removeEventListener('abort', leave);
}
