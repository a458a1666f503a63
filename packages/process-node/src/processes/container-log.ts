import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '@flotilla/kube';
import { type Observable, Subject } from 'rxjs';

/** Longer lines are split, as container runtimes do. */
const mostLetters = 16 * 1024;

/** What a container writes: one line each with its time and stream, as container runtimes keep it. */
export class ContainerLog {
  readonly path: string;
  readonly #clock: Clock;
  readonly #written = new Subject<void>();
  readonly #streams: Promise<void>[] = [];
  #file: Promise<FileHandle>;
  #writing: Promise<unknown>;
  #isEnded = false;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
    this.#file = mkdir(dirname(path), { recursive: true, mode: 0o700 }).then(() => open(path, 'a', 0o600));
    this.#writing = this.#file;
    this.#writing.catch(() => {});
  }

  /** Emits when there is more to read; completes at the end. */
  get written(): Observable<void> {
    return this.#written;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Adds all that comes from a stream of the process. */
  add(stream: Readable, name: 'stdout' | 'stderr'): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const done = Promise.withResolvers<void>();
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      while (rest.length > mostLetters) {
        lines.push(rest.slice(0, mostLetters));
        rest = rest.slice(mostLetters);
      }
      this.#append(lines, name);
    });
    stream.once('error', () => done.resolve());
    stream.once('close', () => {
      if (rest !== '') this.#append([rest], name);
      done.resolve();
    });
    this.#streams.push(done.promise);
  }

  /** Resolves when what the streams brought is on disk, at the latest when `deadline` does: a grandchild may keep a pipe open. */
  async end(deadline: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.all(this.#streams), deadline]);
    await this.#writing.catch(() => {});
    this.#isEnded = true;
    this.#written.complete();
    await this.#file.then((file) => file.close()).catch(() => {});
  }

  #append(lines: readonly string[], stream: string): void {
    if (lines.length === 0 || this.#isEnded) return;
    const time = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z');
    const text = lines.map((line) => `${time} ${stream} F ${line}\n`).join('');
    this.#writing = this.#writing.then(() => this.#file).then((file) => file.write(text));
    // A full disk must not end the node; the lines are lost.
    this.#writing.then(
      () => this.#written.next(),
      () => {},
    );
  }
}
