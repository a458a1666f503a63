import type { BootstrapFiles, TextSource } from '@flotilla/registration-core/contract';
import { type Observable, Subject, type Subscription } from 'rxjs';

/** Files that are read and followed from their first reading on. */
export interface FollowedTexts {
  read(path: string): Promise<string>;
  /** Emits when one of them changed. */
  readonly changes: Observable<void>;
  close(): void;
}

/** Follows each file that is read: a configuration names others, and may name others later. */
export function followTexts(files: Pick<BootstrapFiles, 'text'>): FollowedTexts {
  const changes = new Subject<void>();
  const opened = new Map<string, { readonly source: TextSource; readonly subscription: Subscription }>();
  const open = (path: string) => {
    const known = opened.get(path);
    if (known) return known.source;
    const source = files.text(path);
    opened.set(path, { source, subscription: source.changes.subscribe(() => changes.next()) });
    return source;
  };
  return {
    read: (path) => open(path).current(),
    changes: changes.asObservable(),
    close() {
      for (const { source, subscription } of opened.values()) {
        subscription.unsubscribe();
        source.close();
      }
      changes.complete();
    },
  };
}
