import type { CachedResource } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

/** An agent that is further behind has to read the object again. */
const maxVersions = 50;

/**
 * The versions of each object since its status was changed last. A status that an agent read in one of them is still the status, whatever
 * else of the object has changed since.
 */
export class StatusVersions {
  readonly #versions = new Map<string, Set<string>>();
  readonly #subscription;

  constructor(cache: CachedResource<KubeObject & { readonly status?: unknown }>) {
    this.#subscription = cache.changes.subscribe((change) => {
      const { uid = '', resourceVersion = '' } = change.object.metadata ?? {};
      if (change.type === 'deleted') this.#versions.delete(uid);
      else if (change.type === 'updated' && semanticEqual(change.object.status, change.previous.status)) {
        this.#add(uid, change.previous.metadata?.resourceVersion ?? '', resourceVersion);
      } else this.#versions.delete(uid);
    });
  }

  /** Whether an object had the same status in both versions. */
  isSameStatus(uid: string | undefined, version: string | undefined, other: string | undefined): boolean {
    const versions = this.#versions.get(uid ?? '');
    return versions ? [version, other].every((each) => versions.has(each ?? '')) : false;
  }

  stop(): void {
    this.#subscription.unsubscribe();
  }

  #add(uid: string, previous: string, version: string): void {
    const versions = this.#versions.get(uid) ?? new Set([previous]);
    this.#versions.set(uid, versions.add(version));
    for (const oldest of versions) {
      if (versions.size <= maxVersions) break;
      versions.delete(oldest);
    }
  }
}
