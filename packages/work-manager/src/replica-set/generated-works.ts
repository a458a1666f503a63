import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { type CachedResource, type Clock, type Informers, isAbsence, joinKey, KubeError, keyOf } from '@flotilla/kube';
import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import { type GeneratedWork, generatedWorkOf, ownerKeyOf, placementOf } from './generated-work.ts';

/** How long a work that was created and is not in the cache counts as there. The watch usually has it in milliseconds. */
const expectedWithinMs = 30_000;

interface Expected {
  readonly work: GeneratedWork;
  readonly until: MonotonicTime;
}

/**
 * The works of replica sets: what the cache has, and what was written and the cache does not have yet. A replica set that looks again
 * at once must neither create nor delete a work twice.
 */
export class GeneratedWorks {
  readonly cache: CachedResource<GeneratedWork>;
  readonly #clock: Clock;
  readonly #expected = new Map<string, Map<string, Expected>>();
  /** Works whose deletion was accepted, by uid. */
  readonly #deleted = new Map<string, string>();

  constructor(informers: Informers, clock: Clock, label: string) {
    this.#clock = clock;
    this.cache = informers.resource<GeneratedWork>(manifestWorks, {
      labelSelector: label,
      transform: (work) => generatedWorkOf(work, this.#known(work)),
      indexes: {
        owner: (work) => listOf(ownerKeyOf(work)),
        cluster: ({ metadata }) => listOf(metadata?.namespace),
      },
    });
  }

  /** The works of a replica set. */
  of(owner: string): GeneratedWork[] {
    const works = this.cache.byIndex('owner', owner);
    for (const [uid, key] of this.#deleted) if (this.cache.get(key)?.metadata?.uid !== uid) this.#deleted.delete(uid);
    const expected = this.#expected.get(owner);
    if (!expected) return works;
    for (const [key, { work, until }] of expected) {
      if (this.cache.has(key) || until <= this.#clock.monotonic()) expected.delete(key);
      else works.push(work);
    }
    if (expected.size === 0) this.#expected.delete(owner);
    return works;
  }

  /** The replica sets that have works on a cluster. */
  ownersOn(cluster: string): string[] {
    return [...new Set(this.cache.byIndex('cluster', cluster).flatMap((work) => listOf(ownerKeyOf(work))))];
  }

  /** How long until works that should have been seen count as gone; undefined if none are awaited. */
  awaitedMs(owner: string): number | undefined {
    const expected = this.#expected.get(owner);
    if (!expected) return undefined;
    const now = this.#clock.monotonic();
    return Math.max(0, Math.min(...[...expected.values()].map(({ until }) => msBetween(now, until))));
  }

  /** Creates a work. False if the name is taken by the work of another owner. */
  async create(work: ManifestWork): Promise<boolean> {
    const key = keyOf(work);
    let created: ManifestWork | undefined;
    try {
      created = await this.cache.create(work);
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
      created = await this.cache.find(key);
      const isOwn = created && ownerKeyOf(created) === ownerKeyOf(work) && placementOf(created) === placementOf(work);
      if (created && !isOwn) return false;
    }
    if (created) this.#expect(key, generatedWorkOf(created));
    return true;
  }

  /** Deletes a work unless its deletion was accepted before. */
  async delete(work: GeneratedWork): Promise<void> {
    const { uid = '' } = work.metadata ?? {};
    if (this.#deleted.has(uid)) return;
    const key = keyOf(work);
    try {
      await this.cache.delete(key, { preconditions: { uid } });
    } catch (error) {
      // Another of the same name: this one is gone.
      if (!KubeError.is(error, 'Conflict') && !isAbsence(error)) throw error;
    }
    this.#expected.get(ownerKeyOf(work) ?? '')?.delete(key);
    this.#deleted.set(uid, key);
  }

  #expect(key: string, work: GeneratedWork): void {
    if (this.cache.has(key)) return;
    const owner = ownerKeyOf(work) ?? '';
    const expected = this.#expected.get(owner) ?? new Map<string, Expected>();
    expected.set(key, { work, until: timeAfter(this.#clock.monotonic(), expectedWithinMs) });
    this.#expected.set(owner, expected);
  }

  #known({ metadata }: ManifestWork): GeneratedWork | undefined {
    return this.cache.get(joinKey(metadata?.namespace, metadata?.name ?? ''));
  }
}

const listOf = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
