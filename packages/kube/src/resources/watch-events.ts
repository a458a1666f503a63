import type { KubeObject } from '@flotilla/schema';
import { parseJson } from '@flotilla/schema';
import type { KubeStream } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { WatchEvent } from './resource-handle.ts';

/** Characters of one line: more than any object, which etcd bounds. A line without an end would fill the memory. */
const longestLine = 32 * 2 ** 20;

/** Cuts chunks into lines; a line may begin in one chunk and end many chunks later. */
export class LineSplitter {
  #rest = '';

  /** The lines that `chunk` completes, without empty ones. Throws `Decode` for a line that is too long. */
  *lines(chunk: string): Generator<string, void, undefined> {
    let start = 0;
    // Only the new chunk is searched: what is left over has no line end, or it would not be left.
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const piece = chunk.slice(start, end);
      const line = this.#rest === '' ? piece : this.#rest + piece;
      this.#rest = '';
      start = end + 1;
      if (line !== '' && line !== '\r') yield line;
    }
    this.#rest += start === 0 ? chunk : chunk.slice(start);
    if (this.#rest.length > longestLine) {
      throw new KubeError('Decode', `a watch sent a line of more than ${longestLine} characters`);
    }
  }

  /** What came after the last line end. */
  get rest(): string {
    return this.#rest;
  }
}

interface RawEvent {
  type?: unknown;
  object?: unknown;
}

const parse = (line: string): RawEvent | undefined => {
  try {
    const decoded = parseJson(line);
    return typeof decoded === 'object' && decoded !== null ? decoded : undefined;
  } catch {
    return undefined; // The caller throws, without the line: it may hold a Secret.
  }
};

function isWatchEvent<T extends KubeObject>(event: RawEvent): event is WatchEvent<T> {
  if (typeof event.object !== 'object' || event.object === null) return false;
  const { type } = event;
  return type === 'MODIFIED' || type === 'ADDED' || type === 'DELETED' || type === 'BOOKMARK';
}

/** One line of a watch as an event; an ERROR event and a line that is none are thrown. */
export function decodeWatchLine<T extends KubeObject>(line: string, context: string): WatchEvent<T> {
  const event = parse(line);
  if (!event) throw new KubeError('Decode', `${context} sent a line of ${line.length} characters that is not JSON`);
  if (isWatchEvent<T>(event)) return event;
  if (event.type === 'ERROR') throw KubeError.fromStatus(context, event.object);
  throw new KubeError('Decode', `${context} sent an event of unknown type ${JSON.stringify(event.type)?.slice(0, 40)}`);
}

/**
 * The events of one watch until the server ends it; the stream is closed however the caller leaves.
 * `complete` is given each object before it is passed on.
 */
export async function* watchEvents<T extends KubeObject>(
  open: () => Promise<KubeStream>,
  context: string,
  complete: (object: T) => T,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const decode = (line: string) => {
    const event = decodeWatchLine<T>(line, context);
    if (event.type !== 'BOOKMARK') event.object = complete(event.object);
    return event;
  };
  const stream = await open();
  const splitter = new LineSplitter();
  try {
    for await (const chunk of stream.chunks) {
      for (const line of splitter.lines(chunk)) yield decode(line);
    }
    const { rest } = splitter;
    if (rest.trim() === '') return;
    if (!parse(rest)) throw new KubeError('Unavailable', `${context} ended in the middle of an event`);
    yield decode(rest);
  } finally {
    stream.close();
  }
}
