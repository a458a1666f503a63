import { manifestWorks } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../registration/fleet.ts';
import { deploy, serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from './manifests.ts';

describe.each(serverKinds)('on %s', (kind) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    fleet.startHub();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  it('a cluster that joins by the whole agent in one process gets its works with the identity that it was given', async () => {
    const { admin, hub, newCluster } = fleet;
    const cluster = await newCluster(await startServer(kind));
    await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
    cluster.startAgent('whole', { app: 'singleton' });
    await admin.admit('whole');
    await admin.joined('whole');
    const works = hub.client.resource(manifestWorks);
    await works.create({
      metadata: { namespace: 'whole', name: 'hello' },
      spec: { workload: { manifests: [configMap('hello', { a: '1' })] } },
    });
    await admin.seen.until(
      manifestWorks,
      'applied',
      ({ metadata, status }) => metadata?.namespace === 'whole' && isConditionTrue(status?.conditions, 'Available'),
    );
    expect((await cluster.server.client.resource(configMaps).get('default/hello')).data).toEqual({ a: '1' });
    await works.delete('whole/hello');
    await admin.seen.gone(manifestWorks, 'whole/hello');
    expect(await cluster.server.client.resource(configMaps).find('default/hello')).toBeUndefined();
  });
});
