import type { KubeObject, ResourceType } from '@flotilla/api-types';
import {
  apiServices,
  apiVersionOf,
  backoffMs,
  type Clock,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type Informer,
  type Informers,
  type KubeClient,
  KubeError,
  type Logger,
  parseTime,
} from '@flotilla/kube';
import { type Observable, Subject, type Subscription } from 'rxjs';
import type { Manifest } from '../manifest.ts';

/** Where kinds are served. A kind that is not served yet wakes who waits for it when it is, without anybody asking again. */
export interface Kinds {
  /** Undefined if the cluster does not serve the kind; `holder` is then woken when it might. */
  find(holder: string, apiVersion: string, kind: string): Promise<ResourceType<Manifest> | undefined>;
  /** Whether the kind is served since a moment ago. */
  isNew(type: ResourceType): boolean;
  /** Takes a definition as the server answered it: its kinds are served once it is established. */
  learn(definition: CustomResourceDefinition): void;
  /** Waits until a definition is established; undefined if that takes too long. */
  whenEstablished(name: string, options: { signal: AbortSignal; timeoutMs: number }): Promise<void>;
  /** Something turned out to be served no more. */
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

/** For so long a kind counts as new; the server's clock may be a little off. */
const newMs = 5_000;

const nameOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Only the fact of a change matters. */
const stripToVersion = ({ metadata }: KubeObject): KubeObject => ({
  metadata: { name: metadata?.name, resourceVersion: metadata?.resourceVersion },
});

/** Makes the map of kinds; it watches definitions only while somebody waits for one. */
export function createKinds({ client, informers, clock, log, random }: KindsOptions): Kinds {
  const wakes = new Subject<string>();
  const learned = new Map<string, ResourceType<Manifest>>();
  const establishedAt = new Map<string, number>();
  const waiting = new Map<string, Set<string>>();
  let announcements: { readonly informer: Informer<KubeObject>; readonly subscription: Subscription }[] = [];
  let isReading = false;

  const isAnnounced = () => announcements.length > 0 && announcements.every(({ informer }) => !informer.problem);

  const wakeIfLearned = (): void => {
    for (const [name, holders] of waiting) {
      if (!learned.has(name)) continue;
      waiting.delete(name);
      for (const holder of holders) wakes.next(holder);
    }
    if (waiting.size === 0) unwatch();
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

  /** Looks for what is waited for, until it is found or nothing new is to be expected. */
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      for (let reading = 1; reading <= mostReadings && waiting.size > 0; reading += 1) {
        client.mapper.invalidate();
        for (const name of waiting.keys()) {
          const [apiVersion = '', kind = ''] = name.split(' ');
          const type = await discover(apiVersion, kind);
          if (type) learned.set(name, type);
        }
        wakeIfLearned();
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
    if (definition) learn(definition);
  };

  const watch = async (): Promise<void> => {
    if (announcements.length > 0) return;
    const failed = (error: unknown) => log.warn('cannot read a definition that changed', { error });
    const definitions = informers.metadata(customResourceDefinitions, { strip: stripToVersion });
    announcements = [
      {
        informer: definitions,
        subscription: definitions.changes.subscribe(({ key, type }) => {
          if (type !== 'deleted') void onDefinition(key).catch(failed);
        }),
      },
    ];
    if (!(await discover('apiregistration.k8s.io/v1', 'APIService')) || waiting.size === 0) return;
    const services = informers.metadata(apiServices, { strip: stripToVersion });
    const subscription = services.changes.subscribe(({ type, initial }) => {
      if (type !== 'deleted' && !initial) void read();
    });
    announcements.push({ informer: services, subscription });
  };

  const unwatch = (): void => {
    for (const { informer, subscription } of announcements) {
      subscription.unsubscribe();
      informer.close();
    }
    announcements = [];
  };

  const learn = (definition: CustomResourceDefinition): void => {
    const since = parseTime(
      definition.status?.conditions?.find(({ type }) => type === 'Established')?.lastTransitionTime,
    );
    for (const type of kindsOf(definition)) {
      const name = nameOf(apiVersionOf(type), type.kind);
      learned.set(name, type);
      if (since !== undefined && clock.now() - since < newMs) establishedAt.set(name, since);
    }
    wakeIfLearned();
  };

  return {
    wakes: wakes.asObservable(),
    learn,
    isNew(type) {
      const name = nameOf(apiVersionOf(type), type.kind);
      const since = establishedAt.get(name);
      if (since === undefined || clock.now() - since < newMs) return since !== undefined;
      establishedAt.delete(name);
      return false;
    },
    async find(holder, apiVersion, kind) {
      const name = nameOf(apiVersion, kind);
      const known = learned.get(name);
      if (known) return known;
      // Known to be missing, and its arrival would be told.
      const holders = waiting.get(name);
      const type = holders && isAnnounced() ? undefined : await discover(apiVersion, kind);
      if (type) return type;
      waiting.set(name, (waiting.get(name) ?? new Set()).add(holder));
      await watch().catch((error: unknown) => log.warn('cannot watch for new kinds', { error }));
      return learned.get(name);
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
          if (kindsOf(event.object).length > 0) return learn(event.object);
        }
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        cancel();
      }
    },
    forget() {
      learned.clear();
      client.mapper.invalidate();
    },
    release(holder) {
      for (const [name, holders] of waiting) {
        holders.delete(holder);
        if (holders.size === 0) waiting.delete(name);
      }
      if (waiting.size === 0) unwatch();
    },
    close() {
      waiting.clear();
      unwatch();
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
