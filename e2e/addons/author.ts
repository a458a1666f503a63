import { createHash } from 'node:crypto';
import {
  type AddOnDeploymentConfigV1alpha1,
  Annotation,
  addOnDeploymentConfigsV1alpha1,
  type ClusterManagementAddOn,
  type ConfigSpecHash,
  clusterManagementAddOns,
  Label,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  manifestWorks,
} from '@flotilla/api-types';
import { clusterManagementAddOnVersions, managedClusterAddOnVersions } from '@flotilla/api-types/conversion';
import {
  applyConditions,
  type CachedResource,
  createInformers,
  defineController,
  done,
  isConditionTrue,
  isDeleting,
  joinKey,
  type KubeClient,
  keyOf,
  on,
  ownerReferenceTo,
  realClock,
  retryOnConflict,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { withOlderVersion } from '@flotilla/kube/discovery';
import { semanticEqual } from '@flotilla/kube/meta';
import { Subject } from 'rxjs';

/** The kind of configuration that the add-on takes. */
export const configKind = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' } as const;

/** The manager of an add-on and the agents of its clusters, as far as the add-on manager of the hub notices them. */
export interface AddOnAuthor extends AsyncDisposable {
  /** Keeps agents from reporting that works are ready; `release` lets those of a cluster report, or all. */
  hold(): void;
  release(cluster?: string): void;
}

const applied = { type: 'ManifestApplied', status: 'True', reason: 'AddonManifestApplied', message: '' } as const;

type Reference = { desiredConfig?: ConfigSpecHash };

const hashOf = ({ spec }: AddOnDeploymentConfigV1alpha1): string =>
  createHash('sha256').update(JSON.stringify({ spec })).digest('hex');

/** Hashes configurations, deploys a work with them on each cluster that is configured, and reports it ready. */
export function startAuthor(inner: KubeClient, name: string): AddOnAuthor {
  const client = withOlderVersion(withOlderVersion(inner, managedClusterAddOnVersions), clusterManagementAddOnVersions);
  const informers = createInformers({ client });
  const offers = informers.resource(clusterManagementAddOns);
  const addOns = informers.resource(managedClusterAddOns);
  const configs = informers.resource(addOnDeploymentConfigsV1alpha1);
  const works = informers.resource(manifestWorks, { labelSelector: `${Label.AddOnName}=${name}` });
  const released = new Set<string>();
  let isHolding = false;
  const wakes = new Subject<string>();
  const addOnKeys = (isMeant: (addOn: ManagedClusterAddOn) => boolean = () => true) =>
    addOns
      .list()
      .filter((addOn) => addOn.metadata?.name === name && isMeant(addOn))
      .map(keyOf);

  const hashed = <T extends Reference>(reference: T): T => {
    const { desiredConfig } = reference;
    if (!desiredConfig) return reference;
    const config = configs.get(joinKey(desiredConfig.namespace, desiredConfig.name));
    return { ...reference, desiredConfig: { ...desiredConfig, specHash: config ? hashOf(config) : '' } };
  };

  const hashOffer = ({ status }: ClusterManagementAddOn) => ({
    defaultConfigReferences: (status?.defaultConfigReferences ?? []).map(hashed),
    installProgressions: (status?.installProgressions ?? []).map((progression) => ({
      ...progression,
      configReferences: (progression.configReferences ?? []).map(hashed),
    })),
  });

  /** All that it writes to the status of an add-on, at once. */
  const deployedStatus = ({ spec, status }: ManagedClusterAddOn) => {
    const own = new Set((spec?.configs ?? []).map((config) => joinKey(config.namespace, config.name)));
    return {
      supportedConfigs: [{ ...configKind }],
      conditions: [...setCondition(status?.conditions, applied, realClock.now())],
      configReferences: (status?.configReferences ?? []).map((reference) => {
        const { desiredConfig } = reference;
        const key = joinKey(desiredConfig?.namespace, desiredConfig?.name ?? '');
        const config = configs.get(key);
        if (!config) return reference;
        const observed = { ...reference, lastObservedGeneration: config.metadata?.generation ?? 0 };
        return own.has(key) ? hashed(observed) : observed;
      }),
    };
  };

  const offerController = defineController({
    name: 'author-offer',
    watches: [on(offers), on(configs, () => [name])],
    async reconcile(key) {
      if (key !== name) return done;
      await writeStatus(offers, key, hashOffer);
      return done;
    },
  });

  const deploy = async (addOn: ManagedClusterAddOn): Promise<void> => {
    const cluster = addOn.metadata?.namespace ?? '';
    const work = workOf({ ...addOn, status: { ...addOn.status, ...deployedStatus(addOn) } }, name);
    const existing = works.get(keyOf(work));
    if (!existing) await works.create(work);
    else if (!semanticEqual(existing.metadata?.annotations, work.metadata?.annotations)) {
      await works.patch(keyOf(work), { type: 'merge', body: { metadata: work.metadata, spec: work.spec } });
    }
    await writeStatus(addOns, keyOf(addOn), deployedStatus);
    const current = works.get(keyOf(work));
    if (!current || (isHolding && !released.has(cluster))) return;
    const ready = (type: string) => ({ type, status: 'True', reason: 'Ready', message: 'ready' }) as const;
    await applyConditions(works, current, [ready('Applied'), ready('Available')]);
  };

  const addOnController = defineController({
    name: 'author-add-on',
    concurrency: 32,
    watches: [
      on(addOns),
      on(works, ({ metadata }) => joinKey(metadata?.namespace, name)),
      // The others get a new hash when their rollout comes to them.
      on(configs, () => addOnKeys(({ spec }) => (spec?.configs ?? []).length > 0)),
      on(wakes),
    ],
    async reconcile(key) {
      if (!key.endsWith(`/${name}`)) return done;
      const addOn = addOns.get(key);
      if (addOn && !isDeleting(addOn) && isConditionTrue(addOn.status?.conditions, 'Configured')) await deploy(addOn);
      return done;
    },
  });

  const end = new AbortController();
  const running = runControllers([offerController, addOnController], { signal: end.signal, log: silentLogger });
  return {
    hold() {
      isHolding = true;
      released.clear();
    },
    release(cluster) {
      if (cluster === undefined) isHolding = false;
      else released.add(cluster);
      for (const key of addOnKeys()) wakes.next(key);
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}

/** The work that carries an add-on with its configurations. */
function workOf(addOn: ManagedClusterAddOn, name: string): ManifestWork {
  const hashes = Object.fromEntries(
    (addOn.status?.configReferences ?? []).map(({ group, resource, desiredConfig }) => [
      `${resource}.${group}/${desiredConfig?.namespace ?? ''}/${desiredConfig?.name}`,
      desiredConfig?.specHash ?? '',
    ]),
  );
  return {
    metadata: {
      namespace: addOn.metadata?.namespace,
      name: `addon-${name}-deploy-0`,
      labels: { [Label.AddOnName]: name },
      annotations: { [Annotation.ConfigSpecHash]: JSON.stringify(hashes) },
      ownerReferences: [ownerReferenceTo(managedClusterAddOns, addOn, { controller: true })],
    },
    spec: {
      workload: {
        manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: hashes }],
      },
    },
  };
}

/** Writes a status as computed from the newest object, and nothing if it says the same. */
async function writeStatus<T extends ClusterManagementAddOn | ManagedClusterAddOn>(
  cache: CachedResource<T>,
  key: string,
  statusOf: (object: T) => object,
): Promise<void> {
  let cached: T | undefined = cache.get(key);
  if (!cached) return;
  await retryOnConflict(async () => {
    const object = cached ?? (await cache.find(key));
    cached = undefined;
    if (!object) return;
    const status = statusOf(object);
    if (semanticEqual({ ...object.status, ...status }, object.status)) return;
    const { uid, resourceVersion } = object.metadata ?? {};
    await cache.status.patch(key, { type: 'merge', body: { metadata: { uid, resourceVersion }, status } });
  });
}
