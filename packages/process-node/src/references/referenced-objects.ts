import type { CachedResource, Informers } from '@flotilla/kube';
import { type ConfigMap, configMaps, type Secret, secrets } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { type Observable, Subject, type Subscription } from 'rxjs';
import type { PodReferences } from '../environment/references.ts';

/** One watched object, and the pods that use it. */
interface Watched {
  readonly cache: CachedResource<KubeObject>;
  readonly pods: Set<string>;
  readonly subscription: Subscription;
}

/**
 * The Secrets and ConfigMaps that pods of this node use, each watched by itself as long as a pod uses it: a node needs, and may
 * have, no right to read all of them.
 */
export class ReferencedObjects {
  readonly #informers: Informers;
  readonly #watched = new Map<string, Watched>();
  readonly #changes = new Subject<string>();

  constructor(informers: Informers) {
    this.#informers = informers;
  }

  /** Keys of pods, one of whose objects changed. */
  get changes(): Observable<string> {
    return this.#changes;
  }

  /** Watches exactly what the pod refers to now; nothing releases all. */
  hold(podKey: string, namespace: string, references: PodReferences | undefined): void {
    const wanted = new Set([
      ...[...(references?.secrets ?? [])].map((name) => idOf(secrets, namespace, name)),
      ...[...(references?.configMaps ?? [])].map((name) => idOf(configMaps, namespace, name)),
    ]);
    for (const name of references?.secrets ?? []) this.#watch(podKey, secrets, namespace, name);
    for (const name of references?.configMaps ?? []) this.#watch(podKey, configMaps, namespace, name);
    for (const [id, watched] of this.#watched) {
      if (wanted.has(id) || !watched.pods.delete(podKey) || watched.pods.size > 0) continue;
      this.#watched.delete(id);
      watched.subscription.unsubscribe();
      watched.cache.close();
    }
  }

  /** Whether all of them are listed: before, absence means nothing. */
  isSynced(podKey: string): boolean {
    return [...this.#watched.values()].every(({ pods, cache }) => !pods.has(podKey) || cache.synced);
  }

  secret(namespace: string, name: string): Secret | undefined {
    return this.#get(secrets, namespace, name);
  }

  configMap(namespace: string, name: string): ConfigMap | undefined {
    return this.#get(configMaps, namespace, name);
  }

  #get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined {
    // Only objects of this kind are cached under this id.
    return this.#watched.get(idOf(type, namespace, name))?.cache.get(`${namespace}/${name}`) as T | undefined;
  }

  #watch(podKey: string, type: ResourceType<KubeObject>, namespace: string, name: string): void {
    const id = idOf(type, namespace, name);
    let watched = this.#watched.get(id);
    if (!watched) {
      const cache = this.#informers.resource(type, { namespace, fieldSelector: `metadata.name=${name}` });
      const pods = new Set<string>();
      const wake = () => {
        for (const pod of pods) this.#changes.next(pod);
      };
      watched = { cache, pods, subscription: cache.changes.subscribe(wake) };
      this.#watched.set(id, watched);
      // An object that is not there brings no change: the end of the list does.
      cache.whenSynced({ timeoutMs: Number.POSITIVE_INFINITY }).then(wake, () => {});
    }
    watched.pods.add(podKey);
  }
}

const idOf = ({ kind }: ResourceType, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;
