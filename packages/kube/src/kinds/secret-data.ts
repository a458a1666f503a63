import { Observable, type Subscription } from 'rxjs';
import type { SecretData } from '../credentials/secret-access.ts';
import type { Informer } from '../informer/informer.ts';
import type { ObjectKey } from '../meta/keys.ts';
import type { Secret } from './built-in-types.ts';

/**
 * The data of one Secret in a cache, now and after each change, for `secretAccess`; undefined while it does not exist.
 * Says nothing before the first list is in, so that a slow start is not taken for a missing Secret.
 */
export const secretData = (
  secrets: Pick<Informer<Secret>, 'changes' | 'has' | 'whenSynced'>,
  key: ObjectKey,
): Observable<SecretData | undefined> =>
  new Observable((subscriber) => {
    const stop = new AbortController();
    let subscription: Subscription | undefined;
    secrets.whenSynced({ signal: stop.signal }).then(
      () => {
        if (stop.signal.aborted) return;
        if (!secrets.has(key)) subscriber.next(undefined);
        subscription = secrets.changes.subscribe((change) => {
          if (change.key === key) subscriber.next(change.type === 'deleted' ? undefined : (change.object.data ?? {}));
        });
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => {
      stop.abort();
      subscription?.unsubscribe();
    };
  });
