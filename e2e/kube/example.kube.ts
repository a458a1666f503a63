import { type Cluster, startCluster } from '@flotilla/envtest';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runTeamContact } from '../../packages/kube/examples/team-contact.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ audit: true });
});
afterAll(() => cluster?.stop());

const pollOptions = { timeout: 10_000, interval: 50 };

it('runs the example of the README: what it keeps follows the labels, comes back when deleted, and is not written twice', async () => {
  const spaces = cluster.client.resource(namespaces);
  const maps = cluster.client.resource(configMaps);
  const label = (team: string | null) =>
    spaces.patch('shop', { type: 'merge', body: { metadata: { labels: { team } } } });
  const contact = async () => (await maps.find('shop/contact'))?.data;
  await spaces.create({ metadata: { name: 'shop', labels: { team: 'blue' } } });

  const stop = new AbortController();
  const ended = runTeamContact(cluster.client, stop.signal);
  await vi.waitFor(async () => expect(await contact()).toEqual({ team: 'blue' }), pollOptions);

  await label('green');
  await vi.waitFor(async () => expect(await contact()).toEqual({ team: 'green' }), pollOptions);

  await maps.delete('shop/contact');
  await vi.waitFor(async () => expect(await contact()).toEqual({ team: 'green' }), pollOptions);

  await label(null);
  await vi.waitFor(async () => expect(await contact()).toBeUndefined(), pollOptions);

  stop.abort();
  await ended;
  const applied = (await cluster.auditEvents()).filter(
    ({ verb, objectRef }) => verb === 'patch' && objectRef?.resource === 'configmaps' && objectRef.name === 'contact',
  );
  // One for each of blue, green and green again.
  expect(applied).toHaveLength(3);
});
