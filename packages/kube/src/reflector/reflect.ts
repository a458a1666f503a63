import type { KubeObject } from '@flotilla/schema';
import { Observable } from 'rxjs';
import { Reflector, type ReflectorEvent, type ReflectorOptions } from './reflector.ts';

/**
 * Follows a selection of objects for as long as it has subscribers, through lost connections, expired versions, changed
 * credentials and silent sockets. Never completes and never errors: a failure is emitted as `error` while it tries again.
 *
 * A deletion that happens while no watch is open is known only from the next list, where the object is missing. Code that must act
 * before an object is gone needs a finalizer.
 */
export const reflect = <T extends KubeObject>(options: ReflectorOptions<T>): Observable<ReflectorEvent<T>> =>
  new Observable((subscriber) => {
    const reflector = new Reflector(options, subscriber);
    void reflector.run();
    return () => reflector.stop();
  });
