import { managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { createKubeClient, type KubeClient, KubeError, staticAccess } from '@flotilla/kube';
import { certificateSigningRequests, leases } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from './fleet.ts';
import { type Call, callsOf, discoverAll, isGranted } from './isolation.matrix.ts';
import { serverKinds, startServer } from './servers.ts';

/** What is asked at once: enough to be quick, and less than what an API server refuses as too much. */
const atOnce = 40;

// Names that begin alike, because rights that go by the beginning of a name would pass with others.
describe.each(serverKinds)('on %s, the credential of cluster c1', (kind) => {
  let fleet: Fleet;
  let cluster: Cluster;
  let own: KubeClient;
  let foreignRequest = '';
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    fleet.startHub();
    cluster = await fleet.newCluster();
    const other = await fleet.newCluster();
    cluster.startAgent('c1');
    other.startAgent('c10');
    await Promise.all(['c1', 'c10'].map((name) => fleet.admin.admit(name)));
    await Promise.all(['c1', 'c10'].map((name) => fleet.admin.joined(name)));
    for (const namespace of ['c1', 'c10']) {
      const metadata = { namespace, name: 'thing' };
      await fleet.hub.client.resource(managedClusterAddOns).create({ metadata, spec: {} });
      await fleet.hub.client.resource(manifestWorks).create({ metadata, spec: { workload: { manifests: [] } } });
    }
    foreignRequest = (await fleet.admin.requests('c10'))[0]?.metadata?.name ?? '';
    own = await cluster.hubClient();
  });
  afterAll(async () => {
    await own?.close();
    await fleet?.[Symbol.asyncDispose]();
  });

  /** Whether the server let a call pass; whatever came of it afterwards. */
  const isAllowed = async ({ method, path, body }: Call): Promise<boolean> => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    try {
      await own.transport.request({ method, path, headers: { 'content-type': contentType }, ...(body && { body }) });
      return true;
    } catch (error) {
      const { status } = KubeError.from(error);
      if (status === undefined || status === 401 || status >= 500) throw error;
      return status !== 403;
    }
  };

  it('is refused all objects of others, and allowed what its role names: every kind, verb and namespace', {
    timeout: 300_000,
  }, async () => {
    const calls = callsOf(await discoverAll(fleet.hub.client), {
      namespaces: ['c1', 'c10', 'kube-system', 'default', 'open-cluster-management', 'open-cluster-management-hub'],
      names: {
        managedclusters: ['c1', 'c10'],
        certificatesigningrequests: [foreignRequest],
        leases: ['managed-cluster-lease', 'thing'],
      },
    });
    const wrong: string[] = [];
    let allowed = 0;
    const queue = calls.values();
    const ask = async () => {
      for (const call of queue) {
        const isOpen = await isAllowed(call);
        if (isOpen) allowed += 1;
        if (isOpen !== isGranted(call, 'c1'))
          wrong.push(`${isOpen ? 'allowed' : 'refused'}: ${call.method} ${call.path}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    expect(wrong).toEqual([]);
    console.log(`${kind}: ${calls.length} calls, ${allowed} allowed, ${calls.length - allowed} refused`);
    expect(calls.length).toBeGreaterThan(500);
    expect(allowed).toBeGreaterThan(20);
    for (const about of ['/secrets', '/namespaces/c10/', '/managedclusters/c10', `/${foreignRequest}`, '/leases/']) {
      expect(calls.some(({ path }) => path.includes(about))).toBe(true);
    }
  });

  it('does what an agent does', async () => {
    const lease = await own.resource(leases).get('c1/managed-cluster-lease');
    await own.resource(leases).replace(lease);
    await own.resource(managedClusters).list({ fieldSelector: 'metadata.name=c1' });
    await own.resource(manifestWorks).list({ namespace: 'c1' });
    await own.resource(managedClusterAddOns).list({ namespace: 'c1' });
    await own
      .resource(certificateSigningRequests)
      .list({ labelSelector: 'open-cluster-management.io/cluster-name=c1' });
    const status = { conditions: (await own.resource(managedClusters).get('c1')).status?.conditions ?? [] };
    await own.resource(managedClusters).status.patch('c1', { type: 'merge', body: { status } });
  });

  it('is not that of an administrator by saying so', async () => {
    const { 'tls.crt': certificate = '', 'tls.key': key = '' } = (await cluster.identity()) ?? {};
    const { server, ca } = fleet.hub.access;
    const impersonate = { user: 'kubernetes-admin', groups: ['system:masters'] };
    const access = {
      server,
      ca,
      clientCertificate: { certificate, key },
      impersonate,
      origin: 'an impostor',
    };
    const pretender = createKubeClient({ access: staticAccess(access) });
    await expect(pretender.resource(managedClusters).list()).rejects.toMatchObject({ code: 'Forbidden' });
    await pretender.close();
  });
});
