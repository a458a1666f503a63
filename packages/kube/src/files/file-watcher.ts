import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { directoriesOf } from './path-directories.ts';

interface FileWatcherOptions {
  clock: Clock;
  onChange: () => void;
  /** Several events of one change count as one. */
  debounceMs?: number;
  /** Checks again without an event: network file systems give none. */
  recheckMs?: number;
}

interface WatchedDirectory {
  readonly inode: bigint;
  readonly watcher: FSWatcher;
  /** The files of interest in it; its own name stands for the directory itself. */
  names: ReadonlySet<string>;
}

/**
 * Reads files and notifies when one of those it read last time differs. Directories are watched rather than files, because the
 * kubelet swaps a symbolic link beside them, editors rename, and a file may be gone for a while.
 */
export class FileWatcher {
  readonly #options: Required<FileWatcherOptions>;
  /** Fingerprint of each file as of before it was read. */
  #files = new Map<string, string>();
  readonly #directories = new Map<string, WatchedDirectory>();
  #stopDebounce: (() => void) | undefined;
  #stopRecheck: (() => void) | undefined;
  #checking: Promise<void> | undefined;
  #closed = false;

  constructor(options: FileWatcherOptions) {
    this.#options = { debounceMs: 50, recheckMs: 30_000, ...options };
  }

  /** Reads with `work`, and from then on watches what it read, also if it failed half-way. */
  async track<T>(work: (read: (path: string) => Promise<string>) => Promise<T>): Promise<T> {
    const files = new Map<string, string>();
    try {
      return await work(async (path) => {
        files.set(path, await fingerprint(path));
        return readFile(path, 'utf8').catch((cause: Error) => {
          throw KubeError.from(cause);
        });
      });
    } finally {
      this.#files = files;
      await this.#arm();
      this.#recheckLater();
      // What changed between reading and watching gave no event.
      void this.#check();
    }
  }

  close(): void {
    this.#closed = true;
    this.#stopDebounce?.();
    this.#stopRecheck?.();
    for (const { watcher } of this.#directories.values()) watcher.close();
    this.#directories.clear();
  }

  /** Events during the wait do not prolong it: in a directory that is written all the time it would never end. */
  #poke(): void {
    if (this.#closed || this.#stopDebounce) return;
    this.#stopDebounce = this.#options.clock.schedule(this.#options.debounceMs, () => {
      this.#stopDebounce = undefined;
      void this.#check();
    });
  }

  #recheckLater(): void {
    this.#stopRecheck?.();
    if (this.#closed) return;
    this.#stopRecheck = this.#options.clock.schedule(this.#options.recheckMs, () => {
      this.#recheckLater();
      void this.#check();
    });
  }

  async #check(): Promise<void> {
    await this.#checking;
    this.#checking = this.#checkOnce();
    await this.#checking;
  }

  async #checkOnce(): Promise<void> {
    // Directories first: what changes after this gives an event.
    await this.#arm();
    const files = this.#files;
    const now = await Promise.all([...files.keys()].map(async (path) => [path, await fingerprint(path)] as const));
    if (this.#closed || files !== this.#files || now.every(([path, print]) => files.get(path) === print)) return;
    for (const [path, print] of now) files.set(path, print);
    this.#options.onChange();
  }

  async #arm(): Promise<void> {
    const wanted = new Map<string, { inode: bigint; names: Set<string> }>();
    for (const path of this.#files.keys()) {
      for (const [directory, names] of await directoriesOf(path)) {
        const inode = await inodeOf(directory);
        if (inode === undefined) continue;
        const known = wanted.get(directory)?.names ?? [basename(directory)];
        wanted.set(directory, { inode, names: new Set([...known, ...names]) });
      }
    }
    if (this.#closed) return;
    for (const [directory, { inode, watcher }] of this.#directories) {
      if (wanted.get(directory)?.inode === inode) continue;
      watcher.close();
      this.#directories.delete(directory);
    }
    for (const [directory, { inode, names }] of wanted) {
      const watched = this.#directories.get(directory);
      if (watched) watched.names = names;
      else this.#watch(directory, inode, names);
    }
  }

  #watch(directory: string, inode: bigint, names: ReadonlySet<string>): void {
    try {
      // In a directory with a log or a cache, most events are about other files.
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        if (name === null || this.#directories.get(directory)?.names.has(name)) this.#poke();
      });
      watcher.on('error', () => {
        watcher.close();
        this.#directories.delete(directory);
      });
      this.#directories.set(directory, { inode, watcher, names });
    } catch {
      // No more watches to be had, or the directory just went: the recheck finds changes then.
    }
  }
}

/** Identity and age, so that a file of the same size written within a millisecond still differs. */
async function fingerprint(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return 'absent';
  }
}

const inodeOf = (directory: string): Promise<bigint | undefined> =>
  stat(directory, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  );
