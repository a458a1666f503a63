import { watch } from 'node:fs';
import { sep } from 'node:path';
import { debounceTime, filter, fromEventPattern, map, type Observable } from 'rxjs';

/** What no program reads its sources from, or writes itself. */
const ignored = ['node_modules', '.git', 'dist'];

/** An editor writes a file in several steps, and a formatter after it. */
const quietMs = 100;

/** Emits when a file below a directory was saved, once for each burst; ends watching with the subscription. */
export const savedIn = (directory: string): Observable<string> =>
  fromEventPattern<string>(
    (handler) => watch(directory, { recursive: true, persistent: false }, (_event, name) => handler(name ?? '')),
    (_handler, watcher) => watcher.close(),
  ).pipe(
    map((name) => String(name)),
    filter((name) => !name.split(sep).some((part) => ignored.includes(part))),
    debounceTime(quietMs),
  );
