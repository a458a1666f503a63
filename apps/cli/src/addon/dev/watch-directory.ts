import { once } from 'node:events';
import { relative } from 'node:path';
import { watch } from 'chokidar';
import { audit, concatMap, debounceTime, fromEvent, map, merge, type Observable, race, startWith, timer } from 'rxjs';
import { isIgnored, reportOf, savedFiles } from './saved-files.ts';

/** An editor writes a file in several steps, and a formatter after it. */
const quietMs = 100;

/** The longest wait for quiet: something else may write in the project all the time. */
const maxWaitMs = 1000;

/** A directory whose files are watched, those of directories below it too. */
export interface WatchedDirectory extends AsyncDisposable {
  /** What happened in each burst of changes, as `src/addon.ts was saved`. It fails when changes can no longer be seen. */
  readonly saves: Observable<string>;
}

/**
 * Watches from when it resolves on. Events say only that there is something to see: on a busy machine they come late, one for several
 * changes, or with the name of another file. What was saved shows in the files themselves.
 */
export async function watchDirectory(directory: string): Promise<WatchedDirectory> {
  const watcher = watch(directory, {
    ignored: (path) => relative(directory, path).split(/[\\/]/).some(isIgnored),
    ignoreInitial: true,
    ignorePermissionErrors: true,
  });
  try {
    await once(watcher, 'ready');
    let before = await savedFiles(directory);
    const events = merge(fromEvent(watcher, 'raw'), fromEvent(watcher, 'all'));
    const reports = events.pipe(
      audit(() => race(events.pipe(startWith(undefined), debounceTime(quietMs)), timer(maxWaitMs))),
      concatMap(async () => {
        const after = await savedFiles(directory);
        const report = reportOf(before, after);
        before = after;
        return report === undefined ? [] : [report];
      }),
      concatMap((report) => report),
    );
    const failures = fromEvent(watcher, 'error').pipe(
      map((error) => {
        throw error;
      }),
    );
    return { saves: merge(reports, failures), [Symbol.asyncDispose]: () => watcher.close() };
  } catch (error) {
    await watcher.close();
    throw error;
  }
}
