import {
  Label,
  type ManagedClusterAddOnSpec,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { configKind } from '@flotilla/e2e';
import { type KubeClient, mapLimited } from '@flotilla/kube';

/** Seconds. */
export interface Floor {
  readonly enable: number;
  readonly change: number;
  readonly disable: number;
}

const addOn = 'floor';
/** As many as the add-on manager sends. */
const atOnce = 32;
const spec: ManagedClusterAddOnSpec = {};
const applied = { type: 'ManifestApplied', reason: 'AddonManifestApplied' };
const completed = { type: 'Progressing', reason: 'Completed' };

/** A condition that is new in each round, so that the API server has something to write. */
const condition = ({ type, reason }: typeof applied, message: string) => ({
  type,
  reason,
  message,
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const references = (specHash: string) => [
  { ...configKind, lastObservedGeneration: 0, desiredConfig: { namespace: 'team', name: 'config', specHash } },
];

/**
 * How long the API server takes for the requests that an add-on needs at least, of all parties, when nobody watches and nobody decides: no
 * add-on manager can be faster on this machine. For each cluster one after the other, as each is the answer to the one before.
 */
export async function measureFloor(client: KubeClient): Promise<Floor> {
  const addOns = client.resource(managedClusterAddOns);
  const works = client.resource(manifestWorks);
  const { items } = await client.resource(managedClusters).list();
  const clusters = items.map(({ metadata }) => metadata?.name ?? '');
  const forAll = async (work: (cluster: string) => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await mapLimited(clusters, atOnce, work);
    return (performance.now() - began) / 1000;
  };
  const name = `addon-${addOn}-deploy-0`;
  const status = (key: string, body: object) => addOns.status.patch(key, { type: 'merge', body: { status: body } });
  /** The add-on manager gives the configuration, the author deploys and reports, the agent reports, the manager sums up. */
  const configure = async (cluster: string, hash: string, deploy: () => Promise<unknown>): Promise<void> => {
    const key = `${cluster}/${addOn}`;
    await status(key, { configReferences: references(hash) });
    await deploy();
    await status(key, { conditions: [condition(applied, hash)] });
    const body = { status: { conditions: [condition({ type: 'Applied', reason: 'Ready' }, hash)] } };
    await works.status.patch(`${cluster}/${name}`, { type: 'merge', body });
    await status(key, { conditions: [condition(applied, hash), condition(completed, hash)] });
  };
  const workload = (data: object) => ({
    manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: addOn }, data }],
  });
  const labels = { [Label.AddOnName]: addOn };
  const enable = await forAll(async (namespace) => {
    await addOns.create({ metadata: { namespace, name: addOn }, spec });
    const metadata = { namespace, name, labels };
    await configure(namespace, 'one', () => works.create({ metadata, spec: { workload: workload({}) } }));
  });
  const change = await forAll((cluster) => {
    const body = { spec: { workload: workload({ value: 'two' }) } };
    return configure(cluster, 'two', () => works.patch(`${cluster}/${name}`, { type: 'merge', body }));
  });
  const disable = await forAll((cluster) => addOns.delete(`${cluster}/${addOn}`));
  await mapLimited(clusters, atOnce, (cluster) => works.delete(`${cluster}/${name}`));
  return { enable, change, disable };
}
