import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '@flotilla/kube';
import { type Observable, Subject } from 'rxjs';

/** Longer lines are split, as container runtimes do. */
const maxLineLength = 16 * 1024;
/** As a kubelet: a larger file is rotated. One older file is kept. */
const maxFileBytes = 10 * 1024 * 1024;

/** A part of a log: positions count from its beginning, also after what is there was dropped. */
export interface LogSegment extends AsyncDisposable {
  readonly file: FileHandle;
  /** Where the part begins in the file, and after its last byte. */
  readonly start: number;
  readonly end: number;
  /** The position in the log that follows. */
  readonly next: number;
}

/** What a container writes: one line each with its time and stream, as container runtimes keep it. A container waits until its lines are written. */
export class ContainerLog {
  readonly path: string;
  readonly #clock: Clock;
  readonly #written = new Subject<void>();
  readonly #streams: { readonly stream: Readable; readonly done: Promise<void> }[] = [];
  #file: FileHandle | undefined;
  /** One step at a time, so that nobody opens a file that is being rotated. */
  #steps: Promise<unknown>;
  /** Positions in the log where the older file and the present one begin. */
  #olderStart = 0;
  #start = 0;
  #size = 0;
  #isEnded = false;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
    this.#steps = mkdir(dirname(path), { recursive: true, mode: 0o700 });
    this.#steps.catch(() => {});
  }

  /** Emits when there is more to read; completes at the end. */
  get written(): Observable<void> {
    return this.#written;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The position after the last byte. */
  get end(): number {
    return this.#start + this.#size;
  }

  /** Adds all that comes from a stream of the process. */
  add(stream: Readable, name: 'stdout' | 'stderr'): void {
    this.#streams.push({ stream, done: this.#copy(stream, name) });
  }

  /** Resolves when what the streams brought is on disk, at the latest when `deadline` does: a grandchild may keep a pipe open. */
  async close(deadline: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.all(this.#streams.map(({ done }) => done)), deadline]);
    await this.#step(async () => {
      this.#isEnded = true;
      await this.#file?.close();
      this.#file = undefined;
    });
    for (const { stream } of this.#streams) stream.destroy();
    this.#written.complete();
  }

  /** Removes its files. */
  async remove(): Promise<void> {
    await this.#step(() => Promise.all([this.path, this.#olderPath].map((path) => rm(path, { force: true }))));
  }

  /** What is there from a position on, to the end of the file that has it; undefined if nothing is. */
  segment(position: number): Promise<LogSegment | undefined> {
    return this.#step(async () => {
      if (position >= this.end) return undefined;
      const isOlder = position < this.#start;
      const from = isOlder ? this.#olderStart : this.#start;
      const next = isOlder ? this.#start : this.end;
      const file = await open(isOlder ? this.#olderPath : this.path, 'r');
      const dispose = () => file.close();
      return { file, start: Math.max(0, position - from), end: next - from, next, [Symbol.asyncDispose]: dispose };
    });
  }

  get #olderPath(): string {
    return `${this.path}.1`;
  }

  /** The stream is read no faster than the disk takes it: the process waits at its pipe. */
  async #copy(stream: Readable, name: string): Promise<void> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const chunk of stream) {
        const lines = (rest + decoder.write(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (; rest.length > maxLineLength; rest = rest.slice(maxLineLength)) lines.push(rest.slice(0, maxLineLength));
        await this.#append(lines, name);
      }
    } catch {
      // The process is gone, and its pipe with it.
    }
    if (rest !== '') await this.#append([rest], name);
  }

  async #append(lines: readonly string[], stream: string): Promise<void> {
    if (lines.length === 0) return;
    const time = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z');
    const text = lines.map((line) => `${time} ${stream} F ${line}\n`).join('');
    // A full disk must not end the node; the lines are lost.
    await this.#step(() => this.#write(text)).catch(() => {});
  }

  async #write(text: string): Promise<void> {
    if (this.#isEnded) return;
    if (this.#size >= maxFileBytes) await this.#rotate();
    this.#file ??= await open(this.path, 'a', 0o600);
    try {
      this.#size += (await this.#file.write(text)).bytesWritten;
    } catch (error) {
      this.#size = (await this.#file.stat()).size;
      throw error;
    }
    this.#written.next();
  }

  async #rotate(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rename(this.path, this.#olderPath);
    this.#olderStart = this.#start;
    this.#start += this.#size;
    this.#size = 0;
  }

  #step<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#steps.catch(() => {}).then(step);
    this.#steps = result.catch(() => {});
    return result;
  }
}
