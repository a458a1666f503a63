import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import { dropManagedFields } from '../reflector/drop-managed-fields.ts';
import { describeSelection } from '../reflector/selection.ts';
import type { KubeClient } from '../resources/kube-client.ts';
import type { ResourceHandle } from '../resources/resource-handle.ts';
import { SharedCachedResource } from './cached-resource.ts';
import type { CachedResource, InformerOptions } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

/** What the caches of a client need. */
export interface InformersOptions {
  client: Pick<KubeClient, 'resource' | 'metadata'> & { transport: Pick<KubeClient['transport'], 'accessChanged'> };
  clock?: Clock;
  log?: Logger;
  metrics?: KitMetrics;
  /** In [0, 1), for the jitter of watches. */
  random?: () => number;
}

/** The cached side of a client. Names are those of the client: `client.resource(x)` asks the server, `informers.resource(x)` the cache. */
export interface Informers extends Disposable {
  /**
   * The objects of a kind, watched from now on. Whoever asks for the same kind, selection and transform function shares one watch and
   * one store. Close what is returned when only some of the process needs it; `close` here ends all.
   */
  resource<T extends KubeObject>(type: ResourceType<T>, options?: InformerOptions<T>): CachedResource<T>;
  /** Like `resource`, with the metadata only: for many objects of which little is needed. */
  metadata(type: ResourceType, options?: InformerOptions<KubeObject>): CachedResource<KubeObject>;
  close(): void;
}

interface Shared {
  readonly id: string;
  readonly transform: unknown;
  readonly informer: { close(): void };
  holders: number;
}

/** The caches of one client. */
export function createInformers(options: InformersOptions): Informers {
  const { client, clock = realClock, log = silentLogger, metrics = noMetrics, random } = options;
  const { accessChanged } = client.transport;
  const running = new Set<Shared>();

  const share = <T extends KubeObject>(
    name: string,
    type: ResourceType<T>,
    open: () => ResourceHandle<T>,
    { transform = dropManagedFields, indexes = {}, ...selection }: InformerOptions<T>,
  ): CachedResource<T> => {
    const id = `${type.version} ${name}`;
    let shared = [...running].find((other) => other.id === id && other.transform === transform);
    if (!shared) {
      const informer = new SharedInformer({
        name,
        resource: open(),
        selection,
        transform,
        accessChanged,
        clock,
        log,
        metrics,
        random,
      });
      shared = { id, transform, informer, holders: 0 };
      running.add(shared);
    }
    const held = shared;
    held.holders += 1;
    const release = () => {
      held.holders -= 1;
      if (held.holders > 0 || !running.delete(held)) return;
      held.informer.close();
    };
    // The same kind and transform function mean the same type of objects.
    return withIndexes(new SharedCachedResource(held.informer as SharedInformer<T>, release), indexes);
  };

  const close = () => {
    for (const { informer } of running) informer.close();
    running.clear();
  };

  return {
    resource: (type, selected = {}) =>
      share(describeSelection(type, selected), type, () => client.resource(type), selected),
    metadata: (type, selected = {}) =>
      share(`metadata of ${describeSelection(type, selected)}`, type, () => client.metadata(type), selected),
    close,
    [Symbol.dispose]: close,
  };
}

function withIndexes<T extends KubeObject>(
  cached: CachedResource<T>,
  indexes: NonNullable<InformerOptions<T>['indexes']>,
): CachedResource<T> {
  try {
    for (const [index, values] of Object.entries(indexes)) cached.addIndex(index, values);
    return cached;
  } catch (error) {
    // Whoever asked gets nothing to close.
    cached.close();
    throw error;
  }
}
