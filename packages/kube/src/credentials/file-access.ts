import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { FileWatcher } from '../files/file-watcher.ts';
import type { AccessSource, ClusterAccess } from './access.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { LastGoodAccess } from './last-good-access.ts';

/** Makes access from files; `read` reads them and has them watched. */
export type FileAccessLoader = (read: (path: string) => Promise<string>) => Promise<ClusterAccess>;

interface FileAccessOptions {
  load: FileAccessLoader;
  clock?: Clock;
  /** What `load` gets credentials from, besides files. */
  plugin?: Pick<ExecPlugin, 'forget' | 'close'>;
}

/** Access from files, read again when one of them changes. */
export function fileAccess({ load, clock = realClock, plugin }: FileAccessOptions): AccessSource {
  const watcher = new FileWatcher({ clock, onChange: () => void access.reload() });
  const access = new LastGoodAccess({
    clock,
    load: () => watcher.track(load),
    onInvalidate: () => plugin?.forget(),
    onClose: () => {
      watcher.close();
      plugin?.close();
    },
  });
  return access;
}
