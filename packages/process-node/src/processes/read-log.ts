import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { firstValueFrom } from 'rxjs';
import type { ContainerLog } from './container-log.ts';

/** Which part of a log, as `PodLogOptions` has it. */
export interface LogSelection {
  readonly tailLines?: number;
  readonly timestamps?: boolean;
  /** Milliseconds since the epoch. */
  readonly since?: number;
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

/** The log of a container as text; with `follow` until it ends or the signal aborts. */
export async function* readLog(
  log: Pick<ContainerLog, 'path' | 'written' | 'isEnded'>,
  selection: LogSelection,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let budget = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  let offset = 0;
  let tail = selection.tailLines;
  for (;;) {
    const isEnded = log.isEnded;
    const { lines, end } = await linesFrom(log.path, offset, selection, tail);
    // What was left out is left out; what comes later is shown whole.
    tail = undefined;
    offset = end;
    for (const line of lines) {
      const bytes = Buffer.from(selection.timestamps ? `${line.time} ${line.text}\n` : `${line.text}\n`);
      yield bytes.subarray(0, budget).toString('utf8');
      budget -= bytes.length;
      if (budget <= 0) return;
    }
    if (!selection.follow || isEnded || signal.aborted) return;
    await nextWrite(log, offset, signal);
  }
}

/** Whole lines from an offset on, the last `tail` of them only. */
async function linesFrom(
  path: string,
  offset: number,
  { since = 0, stream }: LogSelection,
  tail: number | undefined,
): Promise<{ lines: LogLine[]; end: number }> {
  const end = await sizeOf(path);
  const lines: LogLine[] = [];
  if (end <= offset) return { lines, end };
  const input = createReadStream(path, { start: offset, end: end - 1, encoding: 'utf8' });
  for await (const raw of createInterface({ input, crlfDelay: 0 })) {
    const line = parseLine(raw);
    if (!line || (stream && line.stream !== stream) || Date.parse(line.time) < since) continue;
    lines.push(line);
    if (tail !== undefined && lines.length > tail) lines.shift();
  }
  return { lines, end };
}

async function sizeOf(path: string): Promise<number> {
  try {
    await using file = await open(path, 'r');
    return (await file.stat()).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** Resolves when the log has more than was read, has ended, or the reader left. */
async function nextWrite(
  log: Pick<ContainerLog, 'path' | 'written'>,
  offset: number,
  signal: AbortSignal,
): Promise<void> {
  const left = Promise.withResolvers<void>();
  const leave = () => left.resolve();
  signal.addEventListener('abort', leave, { once: true });
  const written = firstValueFrom(log.written, { defaultValue: undefined });
  // Subscribed first: a line that came between reading and waiting is not missed.
  if ((await sizeOf(log.path)) <= offset) await Promise.race([written, left.promise]);
  signal.removeEventListener('abort', leave);
}
