import { type AddonDefinition, runAddons } from '@flotilla/addon-sdk';
import {
  type AddOnConfig,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  managedClusterAddOns,
} from '@flotilla/api-types';
import { type Clock, isConditionTrue, type KubeClient, type Logger } from '@flotilla/kube';
import { until } from './until.ts';

/** How an add-on is enabled on a cluster. */
export interface EnableOptions {
  /** Configurations of this cluster, which must exist. */
  readonly configs?: readonly AddOnConfig[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Makes the hub offer add-ons, and runs them there until disposed. */
export async function startAddons(
  hub: KubeClient,
  addons: readonly AddonDefinition[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<AsyncDisposable> {
  const offered = hub.resource(clusterManagementAddOns);
  for (const { name } of addons)
    await offered.create({ metadata: { name }, spec: { addOnMeta: { displayName: name } } });
  const end = new AbortController();
  const running = runAddons({ client: hub, addons, signal: end.signal, clock, log });
  running.catch((error: unknown) => log.error('the add-ons ended', { err: error }));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
    },
  };
}

/** Enables an add-on on a cluster, and resolves when it is Available there. */
export async function enableAddon(
  hub: KubeClient,
  name: string,
  cluster: string,
  { configs, annotations }: EnableOptions = {},
): Promise<ManagedClusterAddOn> {
  const addons = hub.resource(managedClusterAddOns);
  await addons.create({
    metadata: { namespace: cluster, name, ...(annotations && { annotations: { ...annotations } }) },
    spec: { ...(configs && { configs: [...configs] }) },
  });
  return until(addons, `${cluster}/${name}`, ({ status }) =>
    isConditionTrue(status?.conditions, ManagedClusterAddOnCondition.Available),
  );
}
