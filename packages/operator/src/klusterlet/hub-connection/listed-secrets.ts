import type { CachedResource, Informers, ObjectKey } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import { type Observable, Subject, type Subscription } from 'rxjs';

interface Followed {
  readonly cache: CachedResource<Secret>;
  readonly subscription: Subscription;
}

/** The Secrets that Klusterlets with several hubs list. Their names are the user's, so each is watched by itself. */
export class ListedSecrets implements Disposable {
  readonly #informers: Informers;
  readonly #followed = new Map<string, Map<string, Followed>>();
  readonly #changes = new Subject<ObjectKey>();

  constructor(informers: Informers) {
    this.#informers = informers;
  }

  /** Names of klusterlets, each time one of their Secrets changes. */
  get changes(): Observable<ObjectKey> {
    return this.#changes;
  }

  /** Watches the Secrets that a klusterlet lists, and those only. */
  follow(klusterlet: string, namespace: string, names: readonly string[]): void {
    const followed = this.#followed.get(klusterlet) ?? new Map<string, Followed>();
    const keys = names.map((name) => `${namespace}/${name}`);
    for (const [key, one] of followed) if (!keys.includes(key)) this.#drop(followed, key, one);
    for (const [at, key] of keys.entries()) {
      if (followed.has(key)) continue;
      const fieldSelector = `metadata.name=${names[at]}`;
      const cache = this.#informers.resource(secrets, { namespace, fieldSelector });
      const subscription = cache.changes.subscribe(() => this.#changes.next(klusterlet));
      followed.set(key, { cache, subscription });
    }
    if (followed.size > 0) this.#followed.set(klusterlet, followed);
    else this.#followed.delete(klusterlet);
  }

  /** A Secret that is followed; undefined if it does not exist, or cannot be read yet. */
  get(klusterlet: string, key: ObjectKey): Secret | undefined {
    return this.#followed.get(klusterlet)?.get(key)?.cache.get(key);
  }

  #drop(followed: Map<string, Followed>, key: string, { cache, subscription }: Followed): void {
    subscription.unsubscribe();
    cache.close();
    followed.delete(key);
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#followed.keys()]) this.follow(name, '', []);
    this.#changes.complete();
  }
}
