import { type AddonDefinition, configDefinitions, runAddons } from '@flotilla/addon-sdk';
import {
  type AddOnConfig,
  clusterManagementAddOns,
  ManagedClusterAddOnCondition,
  managedClusterAddOns,
} from '@flotilla/api-types';
import { applyObjects } from '@flotilla/install';
import { type Clock, isConditionTrue, type KubeClient, type Logger } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitions } from '@flotilla/kube/kinds';
import { fleetOwner } from './hub.ts';
import { type UntilOptions, until, untilGone } from './until.ts';

/** Where and how an add-on is enabled. */
export interface EnableOptions {
  /** Default: all of the fleet. */
  readonly clusters?: readonly string[];
  /** Configurations of these clusters, which must exist. */
  readonly configs?: readonly AddOnConfig[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The add-ons of a fleet. */
export interface FleetAddons {
  /** Enables an add-on on all clusters, or some. */
  enable(addon: string, options?: EnableOptions): Promise<void>;
  /** Resolves when an add-on is Available wherever it is enabled. */
  whenAvailable(addon: string, options?: UntilOptions): Promise<void>;
  /** Removes an add-on from all clusters, or some, and resolves when its hooks have run and it is gone. */
  disable(addon: string, options?: Pick<EnableOptions, 'clusters'> & UntilOptions): Promise<void>;
}

/** Add-ons that run on a hub. */
export interface RunningAddons extends AsyncDisposable {
  /** Rejects when they end with an error: waits for them must not only time out. */
  readonly failed: Promise<never>;
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;

/** Makes the hub serve the kinds that come with add-ons. */
async function installKinds(hub: KubeClient, addons: readonly AddonDefinition[], clock: Clock): Promise<void> {
  const definitions = addons.flatMap(configDefinitions);
  await applyObjects(hub, definitions, { owner: fleetOwner, clock });
  const handle = hub.resource(customResourceDefinitions);
  for (const { metadata } of definitions) {
    await until(handle, metadata?.name ?? '', isEstablished);
  }
}

/** Makes the hub offer add-ons, and runs them there until disposed. */
export async function startAddons(
  hub: KubeClient,
  addons: readonly AddonDefinition[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<RunningAddons> {
  await installKinds(hub, addons, clock);
  const offered = hub.resource(clusterManagementAddOns);
  for (const { name } of addons) {
    await offered.create({ metadata: { name }, spec: { addOnMeta: { displayName: name } } });
  }
  const end = new AbortController();
  const running = runAddons({ client: hub, addons, signal: end.signal, clock, log });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  running.catch((error: unknown) => {
    log.error('the add-ons ended', { err: error });
    failed.reject(error);
  });
  return {
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
    },
  };
}

/** How tests use the add-ons of a hub. */
export function fleetAddons(hub: KubeClient, all: readonly string[], failed: Promise<never>): FleetAddons {
  const addons = hub.resource(managedClusterAddOns);
  return {
    async enable(name, { clusters = all, configs, annotations } = {}) {
      for (const namespace of clusters) {
        await addons.create({
          metadata: { namespace, name, ...(annotations && { annotations: { ...annotations } }) },
          spec: { ...(configs && { configs: [...configs] }) },
        });
      }
    },
    async whenAvailable(name, options) {
      const { items } = await addons.list({ fieldSelector: `metadata.name=${name}` });
      if (items.length === 0) throw new Error(`add-on ${name} is enabled on no cluster of the fleet`);
      const available = items.map(({ metadata }) =>
        until(
          addons,
          `${metadata?.namespace}/${name}`,
          ({ status }) => isConditionTrue(status?.conditions, ManagedClusterAddOnCondition.Available),
          options,
        ),
      );
      await Promise.race([Promise.all(available), failed]);
    },
    async disable(name, { clusters = all, ...options } = {}) {
      for (const cluster of clusters) await addons.delete(`${cluster}/${name}`);
      const gone = clusters.map((cluster) => untilGone(addons, `${cluster}/${name}`, options));
      await Promise.race([Promise.all(gone), failed]);
    },
  };
}
