import { createInformers, createKubeClient, KubeError } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { applyManagedNamespaces } from './managed-namespaces.ts';

it('a namespace that cannot be released is an error, and the others are reported and released all the same', async () => {
  const clock = new FakeClock();
  const client = createKubeClient({ transport: new FakeApi(clock), clock });
  const label = 'clusterset.open-cluster-management.io/hub';
  for (const name of ['a', 'b', 'c']) {
    await client.resource(namespaces).create({ metadata: { name, labels: { [label]: 'true' } } });
  }
  using informers = createInformers({ client, clock });
  const cache = informers.resource(namespaces);
  await cache.whenSynced();
  const refusing = {
    ...cache,
    find: cache.find.bind(cache),
    create: cache.create.bind(cache),
    list: cache.list.bind(cache),
    replace: (namespace: Parameters<typeof cache.replace>[0]) =>
      namespace.metadata?.name === 'a'
        ? Promise.reject(new KubeError('Forbidden', 'a policy forbids it'))
        : cache.replace(namespace),
  };
  const cluster = { metadata: { name: 'c1' }, status: { managedNamespaces: [{ name: 'c', clusterSet: 's' }] } };
  const { applied, failure } = await applyManagedNamespaces(cluster, { namespaces: refusing, label, now: clock.now() });
  expect(applied).toMatchObject([{ name: 'c', conditions: [{ status: 'True' }] }]);
  expect(failure?.message).toContain('cannot release the namespace a');
  expect((await client.resource(namespaces).get('b')).metadata?.labels).toEqual({ [label]: 'false' });
});
