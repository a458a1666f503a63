import { type Clock, type Informers, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import { type CustomResourceDefinition, customResourceDefinitions } from '@flotilla/kube/kinds';
import { apiVersionOf, parseTime } from '@flotilla/kube/meta';
import type { ResourceType } from '@flotilla/schema';
import { type Observable, Subject } from 'rxjs';
import type { Manifest } from '../manifest.ts';
import { createKindAnnouncements } from './kind-announcements.ts';
import { RecentKinds } from './recent-kinds.ts';

/** Where kinds are served. A kind that is not served yet wakes its holders when it is served, without polling. */
export interface Kinds {
  /** Undefined if the cluster does not serve the kind; `holder` is then woken when it might. */
  find(holder: string, apiVersion: string, kind: string): Promise<ResourceType<Manifest> | undefined>;
  /** Whether the kind was established less than five seconds ago. */
  isNew(type: ResourceType): boolean;
  /** Takes a definition as the server answered it: its kinds are served once it is established. */
  observe(definition: CustomResourceDefinition): void;
  /** Waits until a definition is established; undefined if that takes too long. */
  whenEstablished(name: string, options: { signal: AbortSignal; timeoutMs: number }): Promise<void>;
  /** A kind turned out not to be served any more. */
  forget(): void;
  /** `holder` waits for nothing any more. */
  release(holder: string): void;
  readonly wakes: Observable<string>;
  close(): void;
}

/** What finding kinds needs. */
export interface KindsOptions {
  readonly client: Pick<KubeClient, 'mapper' | 'resource'>;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** Discovery may lag behind the event that announces a new API server; it is read again so often, slower and slower. */
const mostReadings = 6;
const readingPause = { baseMs: 100, maxMs: 5_000 };

const nameOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Creates the map of kinds; it watches definitions only while a holder waits for one. */
export const createKinds = (options: KindsOptions): Kinds => new ServedKinds(options);

class ServedKinds implements Kinds {
  readonly wakes: Observable<string>;
  readonly #wakeSubject = new Subject<string>();
  readonly #client: KindsOptions['client'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #served = new Map<string, ResourceType<Manifest>>();
  readonly #recent: RecentKinds;
  readonly #waiting = new Map<string, Set<string>>();
  readonly #announcements: ReturnType<typeof createKindAnnouncements>;
  #isReading = false;

  constructor({ client, informers, clock, log, random }: KindsOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#random = random;
    this.#recent = new RecentKinds(clock);
    this.wakes = this.#wakeSubject.asObservable();
    this.#announcements = createKindAnnouncements({
      informers,
      hasApiServices: async () => (await this.#discover('apiregistration.k8s.io/v1', 'APIService')) !== undefined,
      isNeeded: () => this.#waiting.size > 0,
      onDefinition: (name) =>
        void this.#onDefinition(name).catch((error) => log.warn('cannot read a definition that changed', { error })),
      onApiService: () => void this.#read(),
    });
  }

  observe(definition: CustomResourceDefinition): void {
    const since = parseTime(
      definition.status?.conditions?.find(({ type }) => type === 'Established')?.lastTransitionTime,
    );
    for (const type of kindsOf(definition)) {
      const name = nameOf(apiVersionOf(type), type.kind);
      this.#served.set(name, type);
      this.#recent.observe(name, since);
    }
    this.#wakeIfServed();
  }

  isNew(type: ResourceType): boolean {
    return this.#recent.has(nameOf(apiVersionOf(type), type.kind));
  }

  async find(holder: string, apiVersion: string, kind: string): Promise<ResourceType<Manifest> | undefined> {
    const name = nameOf(apiVersion, kind);
    const known = this.#served.get(name);
    if (known) return known;
    // Known to be missing, and a watch would report its arrival.
    const holders = this.#waiting.get(name);
    const type = holders && this.#announcements.isWorking() ? undefined : await this.#discover(apiVersion, kind);
    if (type) return type;
    this.#waiting.set(name, (this.#waiting.get(name) ?? new Set()).add(holder));
    await this.#announcements.open().catch((error: unknown) => this.#log.warn('cannot watch for new kinds', { error }));
    return this.#served.get(name);
  }

  async whenEstablished(
    name: string,
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<void> {
    const abort = new AbortController();
    const cancel = this.#clock.schedule(timeoutMs, () => abort.abort());
    const request = {
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: '0',
      signal: AbortSignal.any([signal, abort.signal]),
    };
    try {
      for await (const event of this.#client.resource(customResourceDefinitions).watch(request)) {
        if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
        if (kindsOf(event.object).length > 0) return this.observe(event.object);
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      cancel();
    }
  }

  forget(): void {
    this.#served.clear();
    this.#client.mapper.invalidate();
  }

  release(holder: string): void {
    for (const [name, holders] of this.#waiting) {
      holders.delete(holder);
      if (holders.size === 0) this.#waiting.delete(name);
    }
    if (this.#waiting.size === 0) this.#announcements.close();
  }

  close(): void {
    this.#waiting.clear();
    this.#announcements.close();
    this.#wakeSubject.complete();
  }

  #wakeIfServed(): void {
    for (const [name, holders] of this.#waiting) {
      if (!this.#served.has(name)) continue;
      this.#waiting.delete(name);
      for (const holder of holders) this.#wakeSubject.next(holder);
    }
    if (this.#waiting.size === 0) this.#announcements.close();
  }

  async #discover(apiVersion: string, kind: string): Promise<ResourceType<Manifest> | undefined> {
    try {
      const { group, version, plural, namespaced } = await this.#client.mapper.byKind(apiVersion, kind);
      return { group, version, kind, plural, namespaced };
    } catch (error) {
      if (KubeError.is(error, 'UnknownKind')) return undefined;
      throw error;
    }
  }

  /** Reads discovery until the kinds that holders wait for are found, or no change is to be expected. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let reading = 1; reading <= mostReadings && this.#waiting.size > 0; reading += 1) {
        this.#client.mapper.invalidate();
        for (const name of this.#waiting.keys()) {
          const [apiVersion = '', kind = ''] = name.split(' ');
          const type = await this.#discover(apiVersion, kind);
          if (type) this.#served.set(name, type);
        }
        this.#wakeIfServed();
        if (this.#waiting.size > 0) await this.#clock.sleep(backoffMs(readingPause, reading, this.#random()));
      }
    } catch (error) {
      this.#log.warn('cannot read which kinds the cluster serves', { error });
    } finally {
      this.#isReading = false;
    }
  }

  async #onDefinition(name: string): Promise<void> {
    const group = name.slice(name.indexOf('.') + 1);
    if (!this.#waiting.keys().some((wanted) => wanted.startsWith(`${group}/`))) return;
    const definition = await this.#client.resource(customResourceDefinitions).find(name);
    if (definition) this.observe(definition);
  }
}

/** The kinds that a definition serves; none before it is established. */
function kindsOf({ spec, status }: CustomResourceDefinition): ResourceType<Manifest>[] {
  const isEstablished = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
  if (!isEstablished || !spec) return [];
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name }) => ({
      group: spec.group,
      version: name,
      kind: spec.names.kind,
      plural: spec.names.plural,
      namespaced: spec.scope === 'Namespaced',
    }));
}
