import type { Informer } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { filter, firstValueFrom, fromEvent, map, race } from 'rxjs';

/** The first object, there or to come, for which a check holds. Rejects if the signal aborts first. */
export const when = <T extends KubeObject>(informer: Informer<T>, isIt: (object: T) => boolean, signal: AbortSignal) =>
  firstValueFrom(
    race(
      informer.changes.pipe(
        filter(({ type, object }) => type !== 'deleted' && isIt(object)),
        map(({ object }) => object),
      ),
      fromEvent(signal, 'abort').pipe(
        map((): never => {
          throw signal.reason;
        }),
      ),
    ),
  );
