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
  /** Whether the kind is served since a moment ago. */
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
export function createKinds({ client, informers, clock, log, random }: KindsOptions): Kinds {
  const wakes = new Subject<string>();
  const served = new Map<string, ResourceType<Manifest>>();
  const recent = new RecentKinds(clock);
  const waiting = new Map<string, Set<string>>();
  let isReading = false;

  const wakeIfServed = (): void => {
    for (const [name, holders] of waiting) {
      if (!served.has(name)) continue;
      waiting.delete(name);
      for (const holder of holders) wakes.next(holder);
    }
    if (waiting.size === 0) announcements.close();
  };

  const discover = async (apiVersion: string, kind: string): Promise<ResourceType<Manifest> | undefined> => {
    try {
      const { group, version, plural, namespaced } = await client.mapper.byKind(apiVersion, kind);
      return { group, version, kind, plural, namespaced };
    } catch (error) {
      if (KubeError.is(error, 'UnknownKind')) return undefined;
      throw error;
    }
  };

  /** Reads discovery until the kinds that holders wait for are found, or no change is to be expected. */
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      for (let reading = 1; reading <= mostReadings && waiting.size > 0; reading += 1) {
        client.mapper.invalidate();
        for (const name of waiting.keys()) {
          const [apiVersion = '', kind = ''] = name.split(' ');
          const type = await discover(apiVersion, kind);
          if (type) served.set(name, type);
        }
        wakeIfServed();
        if (waiting.size > 0) await clock.sleep(backoffMs(readingPause, reading, random()));
      }
    } catch (error) {
      log.warn('cannot read which kinds the cluster serves', { error });
    } finally {
      isReading = false;
    }
  };

  const onDefinition = async (name: string): Promise<void> => {
    const group = name.slice(name.indexOf('.') + 1);
    if (!waiting.keys().some((wanted) => wanted.startsWith(`${group}/`))) return;
    const definition = await client.resource(customResourceDefinitions).find(name);
    if (definition) observe(definition);
  };

  const announcements = createKindAnnouncements({
    informers,
    hasApiServices: async () => (await discover('apiregistration.k8s.io/v1', 'APIService')) !== undefined,
    isNeeded: () => waiting.size > 0,
    onDefinition: (name) =>
      void onDefinition(name).catch((error) => log.warn('cannot read a definition that changed', { error })),
    onApiService: () => void read(),
  });

  const observe = (definition: CustomResourceDefinition): void => {
    const since = parseTime(
      definition.status?.conditions?.find(({ type }) => type === 'Established')?.lastTransitionTime,
    );
    for (const type of kindsOf(definition)) {
      const name = nameOf(apiVersionOf(type), type.kind);
      served.set(name, type);
      recent.observe(name, since);
    }
    wakeIfServed();
  };

  return {
    wakes: wakes.asObservable(),
    observe,
    isNew: (type) => recent.has(nameOf(apiVersionOf(type), type.kind)),
    async find(holder, apiVersion, kind) {
      const name = nameOf(apiVersion, kind);
      const known = served.get(name);
      if (known) return known;
      // Known to be missing, and a watch would report its arrival.
      const holders = waiting.get(name);
      const type = holders && announcements.isWorking() ? undefined : await discover(apiVersion, kind);
      if (type) return type;
      waiting.set(name, (waiting.get(name) ?? new Set()).add(holder));
      await announcements.open().catch((error: unknown) => log.warn('cannot watch for new kinds', { error }));
      return served.get(name);
    },
    async whenEstablished(name, { signal, timeoutMs }) {
      const abort = new AbortController();
      const cancel = clock.schedule(timeoutMs, () => abort.abort());
      const request = {
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: '0',
        signal: AbortSignal.any([signal, abort.signal]),
      };
      try {
        for await (const event of client.resource(customResourceDefinitions).watch(request)) {
          if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
          if (kindsOf(event.object).length > 0) return observe(event.object);
        }
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        cancel();
      }
    },
    forget() {
      served.clear();
      client.mapper.invalidate();
    },
    release(holder) {
      for (const [name, holders] of waiting) {
        holders.delete(holder);
        if (holders.size === 0) waiting.delete(name);
      }
      if (waiting.size === 0) announcements.close();
    },
    close() {
      waiting.clear();
      announcements.close();
      wakes.complete();
    },
  };
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
