import { once } from 'node:events';
import { relative } from 'node:path';
import { watch } from 'chokidar';
import { buffer, concatMap, debounceTime, filter, fromEvent, map, merge, type Observable, share } from 'rxjs';

/** What no program reads its sources from, or writes itself. */
const ignored = ['node_modules', '.git', 'dist'];

/** An editor writes a file in several steps, and a formatter after it. */
const quietMs = 100;

/** A directory whose files are watched, those of directories below it too. */
export interface WatchedDirectory extends AsyncDisposable {
  /** What happened in each burst of changes, as `src/addon.ts was saved`. It fails when changes can no longer be seen. */
  readonly saves: Observable<string>;
}

/**
 * Watches from when it resolves on. Node's own recursive watch follows files rather than names on Linux: it goes deaf for a name
 * when an editor renames another file over it.
 */
export async function watchDirectory(directory: string): Promise<WatchedDirectory> {
  const watcher = watch(directory, {
    cwd: directory,
    ignored: (path) =>
      relative(directory, path)
        .split(/[\\/]/)
        .some((part) => ignored.includes(part)),
    ignoreInitial: true,
    ignorePermissionErrors: true,
    // Shorter than a burst, so that a temporary file comes and goes within one.
    atomic: quietMs / 5,
  });
  try {
    await once(watcher, 'ready');
  } catch (error) {
    await watcher.close();
    throw error;
  }
  const changes = fromEvent(watcher, 'all', (event: string, path: string) => ({ event, path })).pipe(
    filter(({ event }) => event in said),
    share(),
  );
  const failures = fromEvent(watcher, 'error').pipe(
    map((error) => {
      throw error;
    }),
  );
  const saves = changes.pipe(buffer(changes.pipe(debounceTime(quietMs))), concatMap(reportOf));
  return { saves: merge(saves, failures), [Symbol.asyncDispose]: () => watcher.close() };
}

interface Change {
  readonly event: string;
  readonly path: string;
}

/** What the events of files mean; those of directories change no program. */
const said: Readonly<Record<string, string>> = { add: 'saved', change: 'saved', unlink: 'removed' };

/** The file of a burst that an author thinks of, if any. One that came and went within it was the temporary file of an editor. */
export function reportOf(burst: readonly Change[]): string[] {
  const files = [...Map.groupBy(burst, ({ path }) => path).values()];
  const last = files
    .filter((events) => events[0]?.event !== 'add' || events.at(-1)?.event !== 'unlink')
    .flatMap((events) => events.slice(-1));
  const change = last.findLast(({ event }) => event !== 'unlink') ?? last.at(-1);
  return change ? [`${change.path} was ${said[change.event]}`] : [];
}
