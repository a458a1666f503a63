import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { managedClusters } from '@flotilla/api-types';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Cluster } from '../registration/fleet.ts';
import { bundleOf } from '../registration/program.ts';
import { startServer } from '../registration/servers.ts';
import { type InteropFleet, startInteropFleet, touchIdentity } from './interop-fleet.ts';

describe("OCM's agent and our hub", () => {
  let fleet: InteropFleet;
  beforeAll(async () => {
    // Kubernetes dates certificates back by five minutes: of these, two minutes are left at first and a renewal is soon due.
    fleet = await startInteropFleet({ certificateSeconds: 120 });
    fleet.startHub();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  /** An agent of OCM on a cluster of its own that has joined. */
  const joined = async (name: string): Promise<Cluster> => {
    const cluster = await fleet.newCluster();
    await fleet.startOcmAgent(cluster, name);
    await fleet.accept(name);
    return cluster;
  };

  /** Our command line, as the administrator of the hub. */
  const flotilla = async (...args: string[]): Promise<void> => {
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-interop-'));
    const kubeconfig = join(directory, 'administrator.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor(fleet.hub.access));
    await promisify(execFile)(process.execPath, [bundleOf('cli'), ...args, '--kubeconfig', kubeconfig]);
    await rm(directory, { recursive: true });
  };

  it('joins from a real cluster when the administrator accepts it by the command line', async () => {
    await using server = await startServer('kube-apiserver');
    const cluster = await fleet.newCluster(server);
    const agent = await fleet.startOcmAgent(cluster, 'real');
    await fleet.admin.asked('real');
    const clusters = fleet.hub.client.resource(managedClusters);
    expect((await clusters.get('real')).spec?.hubAcceptsClient).toBe(false);
    await clusters.patch('real', { type: 'merge', body: { spec: { leaseDurationSeconds: 2 } } });
    await flotilla('accept', '--clusters=real');
    const { status } = await fleet.admin.joined('real');
    expect(status?.version?.kubernetes).toMatch(/^v1\./);
    await fleet.beatsOn('real');
    await agent.end();
  });

  it('joins by a join token for its name, which is gone afterwards', async () => {
    const token = 'ocmone.0123456789abcdef';
    await flotilla('token', 'create', token, '--cluster-name=ocm-token', '--max-uses=1');
    const { server, ca } = fleet.hub.access;
    const cluster = await fleet.newCluster();
    await cluster.setBootstrap({ server, ...(ca && { ca }), authorization: `Bearer ${token}`, origin: 'a join token' });
    const agent = await fleet.startOcmAgent(cluster, 'ocm-token');
    await fleet.admin.asked('ocm-token');
    await flotilla('accept', '--clusters=ocm-token');
    await fleet.admin.joined('ocm-token');
    await expect
      .poll(() => fleet.hub.client.resource(secrets).find('kube-system/bootstrap-token-ocmone'), { timeout: 60_000 })
      .toBeUndefined();
    await agent.end();
  });

  it('loses its rights when it is denied, and beats on when it is accepted after all', async () => {
    await joined('denied');
    await fleet.beatsOn('denied');
    await fleet.admin.accept('denied', false);
    await fleet.admin.condition('denied', 'HubAcceptedManagedCluster', 'False');
    await expect.poll(() => fleet.mayRenewLease('denied')).toBe(false);
    await fleet.admin.accept('denied');
    await fleet.admin.joined('denied');
    await fleet.beatsOn('denied');
  });

  it('renews its certificate, which our hub approves', { timeout: 120_000 }, async () => {
    const cluster = await joined('renewed');
    const before = await cluster.identity();
    let touches = 0;
    const certificate = async () => {
      await touchIdentity(cluster, String(++touches));
      return (await cluster.identity())?.['tls.crt'];
    };
    await expect.poll(certificate, { timeout: 90_000, interval: 1000 }).not.toBe(before?.['tls.crt']);
    expect((await cluster.identity())?.['tls.key']).not.toBe(before?.['tls.key']);
    const requesters = (await fleet.admin.requests('renewed')).map(({ spec }) => spec.username);
    expect(requesters).toContain(`system:open-cluster-management:renewed:${before?.['agent-name']}`);
    await fleet.admin.condition('renewed', 'ClusterCertificateRotated', 'True');
  });

  it('is removed with its permissions when its cluster is deleted', async () => {
    await joined('deleted');
    await fleet.hub.client.resource(managedClusters).delete('deleted');
    await fleet.admin.seen.gone(managedClusters, 'deleted');
    expect(await fleet.mayRenewLease('deleted')).toBe(false);
    expect(await fleet.hub.client.resource(namespaces).find('deleted')).toBeDefined();
  });

  it('takes over the identity that ours has left, and ours takes it back, without a new certificate', async () => {
    const cluster = await fleet.newCluster();
    const ours = cluster.startAgent('ours');
    await fleet.accept('ours');
    await ours.end();
    const identity = await cluster.identity();
    const asked = await fleet.admin.requests('ours');

    await fleet.forgetAvailable('ours');
    const theirs = await fleet.startOcmAgent(cluster, 'ours');
    await fleet.admin.joined('ours');
    await fleet.beatsOn('ours');
    expect(await cluster.identity()).toEqual(identity);
    await theirs.end();

    await fleet.forgetAvailable('ours');
    cluster.startAgent('ours');
    await fleet.admin.joined('ours');
    await fleet.beatsOn('ours');
    expect(await cluster.identity()).toEqual(identity);
    expect(await fleet.admin.requests('ours')).toHaveLength(asked.length);
  });

  it('leaves an identity that ours takes over without a new certificate, and that is written as ours is', async () => {
    const cluster = await fleet.newCluster();
    /** Without what our agent remembers besides, which OCM's ignores. */
    const credentials = async () => {
      const { 'join-record': _record, 'registration-auth': _type, ...rest } = (await cluster.identity()) ?? {};
      return rest;
    };
    const theirs = await fleet.startOcmAgent(cluster, 'theirs');
    await fleet.accept('theirs');
    await theirs.end();
    const identity = await credentials();
    const asked = await fleet.admin.requests('theirs');
    await fleet.forgetAvailable('theirs');
    const ours = cluster.startAgent('theirs');
    await fleet.admin.joined('theirs');
    await fleet.beatsOn('theirs');
    expect(await credentials()).toEqual(identity);
    expect(await fleet.admin.requests('theirs')).toHaveLength(asked.length);
    await ours.end();

    await cluster.forgetIdentity();
    cluster.startAgent('theirs');
    await fleet.admin.approve('theirs');
    const own = await vi.waitUntil(
      async () => {
        const written = await credentials();
        return written['tls.crt'] ? written : undefined;
      },
      { timeout: 30_000 },
    );
    expect(Object.keys(own).sort()).toEqual(Object.keys(identity).sort());
    expect(own.kubeconfig).toBe(identity.kubeconfig);
    expect(own['cluster-name']).toBe(identity['cluster-name']);
    expect(own['tls.key']?.split('\n')[0]).toBe(identity['tls.key']?.split('\n')[0]);
  });

  it('joins as both agents in one process', async () => {
    const cluster = await fleet.newCluster();
    await fleet.startOcmAgent(cluster, 'single', 'registration-operator');
    await fleet.accept('single');
    await fleet.beatsOn('single');
  });
});
