import type { Cluster } from '@flotilla/envtest';
import {
  type AccessSource,
  type CachedResource,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
  keyOf,
  realClock,
  staticAccess,
} from '@flotilla/kube';
import { type ConfigMap, configMaps, namespaces } from '@flotilla/kube/kinds';
import { createTransport, type KubeRequest, type TransportOptions } from '@flotilla/kube/transport';
import { expect, vi } from 'vitest';

/** An informer on the ConfigMaps of one namespace, with a client of its own, that can be compared with the server. */
export interface Follower extends AsyncDisposable {
  readonly client: KubeClient;
  readonly store: CachedResource<ConfigMap>;
  /** Waits until the store has exactly what the server lists, versions included. */
  matchesServer(withinMs?: number): Promise<void>;
}

/** How a follower differs from the default. */
export interface FollowOptions extends Partial<Omit<TransportOptions, 'access'>> {
  /** `access` or `server` stands in for the administrator's way to the server. */
  access?: AccessSource;
  server?: string;
  /** Sees each watch request before it is sent, and may change it. */
  onWatch?: (request: KubeRequest) => KubeRequest;
}

/** Follows a namespace, which is made if needed. */
export async function follow(cluster: Cluster, namespace: string, options: FollowOptions = {}): Promise<Follower> {
  const { access, server = cluster.server, onWatch = (request) => request, ...rest } = options;
  const spaces = cluster.client.resource(namespaces);
  if (!(await spaces.find(namespace))) await spaces.create({ metadata: { name: namespace } });
  const source = access ?? staticAccess({ ...cluster.access, server });
  const transport = createTransport({ access: source, clock: realClock, ...rest });
  const client = createKubeClient({
    transport: { ...transport, stream: (request) => transport.stream(onWatch(request)) },
  });
  const informers: Informers = createInformers({ client });
  const store = informers.resource(configMaps, { namespace });
  await store.whenSynced({ timeoutMs: 20_000 });
  return {
    client,
    store,
    async matchesServer(withinMs = 20_000) {
      await vi.waitFor(
        async () => {
          const { items } = await cluster.client.resource(configMaps).list({ namespace });
          expect(versions(store.list())).toEqual(versions(items));
        },
        { timeout: withinMs, interval: 200 },
      );
    },
    async [Symbol.asyncDispose]() {
      informers.close();
      await client.close();
    },
  };
}

const versions = (objects: readonly ConfigMap[]): Record<string, string | undefined> =>
  Object.fromEntries(objects.map((object) => [keyOf(object), object.metadata?.resourceVersion]).sort());

/** Creates, changes and deletes ConfigMaps `from` … `to`, so that each kind of event is among them. */
export async function churn(cluster: Cluster, namespace: string, from: number, to: number): Promise<void> {
  const maps = cluster.client.resource(configMaps);
  for (let index = from; index < to; index++) {
    const key = `${namespace}/map-${index}`;
    await maps.create({ metadata: { namespace, name: `map-${index}` }, data: { index: String(index) } });
    if (index % 2 === 0) await maps.patch(key, { type: 'merge', body: { data: { changed: 'yes' } } });
    if (index % 5 === 0) await maps.delete(key);
  }
}
