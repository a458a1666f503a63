import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  type PlacementSpec,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { mapLimited } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, startProgram } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { serveAddOnVersions } from './addon-versions.ts';

const namespace = 'team';
/** More than fit on one page of decisions. */
const count = 120;
const clusters = Array.from({ length: count }, (_, index) => `c${String(index).padStart(3, '0')}`);
const poll = { timeout: 60_000, interval: 250 };
const byEnv = (env: string): PlacementSpec => ({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env } } } }],
});

describe("OCM's add-on manager, by our placement decisions", () => {
  const cleanup = new AsyncDisposableStack();
  let server: Server;
  let placement: Program;
  let manager: Program;

  beforeAll(async () => {
    const { addon } = await ocmPrograms();
    const { crds } = cleanup.use(await serveAddOnVersions());
    server = cleanup.use(await startServer('kube-apiserver', { crds }));
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-addon-placements-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    const kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    await createFleet();
    const flags = [`--kubeconfig=${kubeconfig}`, '--disable-leader-election'];
    placement = cleanup.use(startProgram('hub', ['placement', ...flags]));
    manager = cleanup.use(
      startExecutable(addon, [
        'manager',
        ...flags,
        '--namespace=open-cluster-management-hub',
        `--listen=127.0.0.1:${await findFreePort()}`,
      ]),
    );
  }, 180_000);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(placement.log, manager.log);
  });
  afterAll(() => cleanup.disposeAsync());

  async function createFleet(): Promise<void> {
    const { client } = server;
    await client.resource(namespaces).create({ metadata: { name: namespace } });
    const clusterSelector = { selectorType: 'LabelSelector' as const, labelSelector: {} };
    await client.resource(managedClusterSets).create({ metadata: { name: 'global' }, spec: { clusterSelector } });
    const metadata = { namespace, name: 'global' };
    await client.resource(managedClusterSetBindings).create({ metadata, spec: { clusterSet: 'global' } });
    await mapLimited(clusters, 16, async (name) => {
      await client.resource(namespaces).create({ metadata: { name } });
      const labels = { env: Number(name.slice(1)) < 2 ? 'prod' : 'dev' };
      await client.resource(managedClusters).create({ metadata: { name, labels }, spec: { hubAcceptsClient: true } });
    });
  }

  const place = (name: string, spec: PlacementSpec) =>
    server.client.resource(placements).create({ metadata: { namespace, name }, spec });
  const label = (cluster: string, env: string) =>
    server.client.resource(managedClusters).patch(cluster, { type: 'merge', body: { metadata: { labels: { env } } } });
  const offer = (name: string, placementName: string) =>
    server.client.resource(clusterManagementAddOns).create({
      metadata: { name },
      spec: {
        installStrategy: {
          type: 'Placements',
          placements: [{ namespace, name: placementName, rolloutStrategy: { type: 'All' } }],
        },
      },
    });
  /** The clusters that have an add-on of this name. */
  const installed = async (name: string) => {
    const { items } = await server.client.resource(managedClusterAddOns).list();
    return items.filter(({ metadata }) => metadata?.name === name).map(({ metadata }) => metadata?.namespace);
  };

  it('installs an add-on on the selected clusters, and follows a label', { timeout: 120_000 }, async () => {
    await place('prod', byEnv('prod'));
    await offer('search', 'prod');
    await expect.poll(() => installed('search'), poll).toEqual(['c000', 'c001']);
    await label('c002', 'prod');
    await expect.poll(() => installed('search'), poll).toEqual(['c000', 'c001', 'c002']);
    await label('c000', 'dev');
    await expect.poll(() => installed('search'), poll).toEqual(['c001', 'c002']);
  });

  it('leaves add-ons where they are when a placement cannot be understood', { timeout: 120_000 }, async () => {
    const celSelector = { celExpressions: ['managedClutser.metadata.name == "c001"'] };
    const body = { spec: { predicates: [{ requiredClusterSelector: { celSelector } }] } };
    const { client } = server;
    await client.resource(placements).patch(`${namespace}/prod`, { type: 'merge', body });
    const misconfigured = async () => {
      const { status } = await client.resource(placements).get(`${namespace}/prod`);
      return status?.conditions?.find(({ type }) => type === 'PlacementMisconfigured')?.status;
    };
    await expect.poll(misconfigured, poll).toBe('True');
    // The manager has seen the placement as it is when it has done what was asked for later.
    await place('one', { ...byEnv('prod'), numberOfClusters: 1 });
    await offer('later', 'one');
    await expect.poll(() => installed('later'), poll).toEqual(['c001']);
    expect(await installed('search')).toEqual(['c001', 'c002']);
  });

  it('installs an add-on on the clusters of all pages of decisions', { timeout: 180_000 }, async () => {
    await place('all', {});
    await offer('metrics', 'all');
    await expect.poll(() => installed('metrics'), { ...poll, timeout: 120_000 }).toEqual(clusters);
    const { items } = await server.client.resource(placementDecisions).list({ namespace });
    const pages = items.filter(({ metadata }) => metadata?.name?.startsWith('all-decision-'));
    expect(pages.map(({ status }) => status?.decisions?.length)).toEqual([100, 20]);
  });
});
