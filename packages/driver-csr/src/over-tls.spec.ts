import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { isConditionTrue, realClock, staticAccess } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { accessFiles, bindDriver, createAgent, testHub } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { decideAll } from './fixtures/hub.ts';
import { csrDriver } from './index.ts';

describe('an agent and a hub with sockets and certificates between them', () => {
  it('join each other', async () => {
    const bootstrapToken = 'a-token-for-this-test';
    await using hub = await startControlPlane({
      crds: customResourceDefinitions(),
      staticTokens: { [bootstrapToken]: { name: 'bootstrapper', groups: ['system:authenticated'] } },
    });
    await using spoke = await startControlPlane({ listen: false });
    const admin = testHub(hub.client, realClock);
    await admin.allowBootstrap('bootstrapper');
    await spoke.client.resource(namespaces).create({ metadata: { name: 'agent' } });
    const agent = createAgent({
      management: spoke.client,
      spoke: spoke.client,
      driver: bindDriver(csrDriver, {
        bootstrapKubeconfig: 'bootstrap',
        bootstrapKubeconfigs: [],
        clientCertExpirationSeconds: 0,
      }),
      bootstrapFiles: accessFiles(
        staticAccess({
          server: hub.server,
          ca: hub.ca,
          authorization: `Bearer ${bootstrapToken}`,
          clusterName: 'hub',
          origin: 'the test',
        }),
      ),
      options: { clusterName: 'c1', namespace: 'agent' },
    });
    const end = new AbortController();
    const running = agent.run(end.signal);
    const clusters = hub.client.resource(managedClusters);
    await expect.poll(() => clusters.find('c1')).toBeDefined();
    await admin.accept('c1');
    await expect
      .poll(async () => {
        await decideAll(hub.client, 'Approved', realClock.now());
        return isConditionTrue((await clusters.get('c1')).status?.conditions, 'ManagedClusterConditionAvailable');
      })
      .toBe(true);
    end.abort();
    await running;
  });
});
