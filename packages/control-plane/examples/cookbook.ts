import {
  addFinalizer,
  createEventRecorder,
  createInformers,
  type KubeClient,
  ownerReferenceTo,
  removeFinalizer,
  retryOnConflict,
} from '@flotilla/kube';
import { apiConfiguration } from '@flotilla/kube/client-node';
import {
  type ConfigMap,
  configMaps,
  createToken,
  events,
  namespaces,
  reviewAccess,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { setOwner } from '@flotilla/kube/meta';
import { CoreV1Api } from '@kubernetes/client-node';

// List the objects of all namespaces

export async function listEverywhere(client: KubeClient): Promise<string[]> {
  const { items } = await client.resource(configMaps).list({ namespace: '', labelSelector: 'app=shop' });
  return items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
}

// Create or change an object by server-side apply

export const applyConfigMap = (client: KubeClient): Promise<ConfigMap> =>
  client
    .resource(configMaps)
    .apply({ metadata: { namespace: 'default', name: 'settings' }, data: { color: 'blue' } }, { fieldManager: 'shop' });

// Change one field by a patch

export const labelNamespace = (client: KubeClient) =>
  client.resource(namespaces).patch('default', { type: 'merge', body: { metadata: { labels: { team: 'shop' } } } });

// Read, change and write while others write too

export const countUp = (client: KubeClient): Promise<ConfigMap> =>
  retryOnConflict(async () => {
    const current = await client.resource(configMaps).get('default/counter');
    const count = Number(current.data?.count ?? 0) + 1;
    return client.resource(configMaps).replace({ ...current, data: { count: String(count) } });
  });

// Wait for a change with a watch

export async function waitForColor(client: KubeClient, color: string): Promise<void> {
  const watch = client.resource(configMaps).watch({ namespace: 'default', resourceVersion: '0' });
  for await (const { type, object } of watch) if (type !== 'BOOKMARK' && object.data?.color === color) return;
}

// Read from a cache with an index

export async function countByApp(client: KubeClient, app: string): Promise<number> {
  using informers = createInformers({ client });
  const cached = informers.resource(configMaps, {
    indexes: { app: (object) => [object.metadata?.labels?.app ?? ''] },
  });
  await cached.whenSynced({ timeoutMs: 10_000 });
  return cached.byIndex('app', app).length;
}

// Record an event that kubectl describe shows

export async function recordEvent(client: KubeClient, object: ConfigMap): Promise<void> {
  await using recorder = createEventRecorder({ events: client.resource(events), reportingController: 'shop' });
  recorder.record(object, { reason: 'Painted', note: 'the shop is blue now' });
}

// Hold an object back until its clean-up is done

export async function cleanUp(client: KubeClient, object: ConfigMap): Promise<void> {
  const handle = client.resource(configMaps);
  await addFinalizer(handle, object, 'example.com/shop');
  await handle.delete('default/settings');
  const deleting = await handle.get('default/settings');
  await removeFinalizer(handle, deleting, 'example.com/shop');
}

// Let an object go with its owner

export const createOwned = (client: KubeClient, owner: ConfigMap): Promise<ConfigMap> =>
  client
    .resource(configMaps)
    .create(
      setOwner(
        { metadata: { namespace: 'default', name: 'owned' } },
        ownerReferenceTo(configMaps, owner, { controller: true }),
      ),
    );

// Ask whether a user may do something

export const mayReadSecrets = (client: KubeClient, username: string) =>
  reviewAccess(
    client,
    { username },
    { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default' } },
  );

// Get a token of a service account

export async function tokenOf(client: KubeClient): Promise<string> {
  await client.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'shop' } });
  const { token } = await createToken(client, 'default/shop', { expirationSeconds: 600 });
  return token;
}

// Use an API class of @kubernetes/client-node

export async function namesByClientNode(client: KubeClient): Promise<(string | undefined)[]> {
  const { items } = await new CoreV1Api(apiConfiguration(client)).listNamespace();
  return items.map(({ metadata }) => metadata?.name);
}
