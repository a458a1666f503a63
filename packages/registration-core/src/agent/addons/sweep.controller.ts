import { type ManagedClusterAddOn, NamespaceName } from '@flotilla/api-types';
import {
  type CachedResource,
  type Controller,
  defineController,
  done,
  type KubeClient,
  KubeError,
  on,
  type StoreChange,
} from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import { of } from 'rxjs';
import type { AgentIdentity } from '../../contract/index.ts';
import { addonAgentAnnotation, addonClusterLabel, addonNameAnnotation } from './addon-secret.ts';
import { registrationConfigs } from './registration.policy.ts';

/** Options of the sweep, while one connection to the hub lasts. */
export interface AddonSweepOptions {
  readonly identity: AgentIdentity;
  readonly addonDrivers: { readonly auth: string };
  readonly addons: CachedResource<ManagedClusterAddOn>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
}

/**
 * Deletes the credentials of add-ons that were deleted while the agent did not see it, or that are not on the hub to which the cluster has
 * moved. When a connection begins, and when an add-on is deleted whose credentials are not kept at that moment.
 */
export function addonSweepController(options: AddonSweepOptions): Controller {
  const { identity, addons, management, spoke } = options;
  return defineController({
    name: 'addon-credential-sweep',
    isOptional: true,
    watches: [on(addons, () => identity.clusterName, isDeletion), on(of(identity.clusterName))],
    async reconcile(_key, { signal, log }) {
      for (const client of new Set([management, spoke])) {
        const handle = client.resource(secrets);
        for (const secret of await listLabelled(client, identity.clusterName, signal)) {
          const { namespace = '', name = '', annotations } = secret.metadata ?? {};
          const isOwn = annotations?.[addonAgentAnnotation] === identity.agentName;
          if (!isOwn || isNeeded(options, secret, client)) continue;
          await handle.delete(`${namespace}/${name}`, { signal });
          log.info('deleted the credentials of an add-on that is not on the hub', {
            addon: annotations?.[addonNameAnnotation],
            secret: `${namespace}/${name}`,
          });
        }
      }
      return done;
    },
  });
}

const isDeletion = ({ type }: StoreChange<ManagedClusterAddOn>): boolean => type === 'deleted';

/** Those of all namespaces, or of the one for add-ons if the agent may read no other. */
async function listLabelled(client: KubeClient, clusterName: string, signal: AbortSignal): Promise<readonly Secret[]> {
  const handle = client.resource(secrets);
  const labelSelector = `${addonClusterLabel}=${clusterName}`;
  for (const namespace of [undefined, NamespaceName.AgentAddOn]) {
    try {
      const { items } = await handle.list({ labelSelector, ...(namespace && { namespace }), signal });
      return items;
    } catch (error) {
      if (!KubeError.is(error, 'Forbidden')) throw error;
    }
  }
  return [];
}

/** Whether an add-on on the hub uses a Secret, or may do so when the hub has written its registrations. */
function isNeeded(
  { identity, addonDrivers, addons, management, spoke }: AddonSweepOptions,
  { metadata }: Secret,
  client: KubeClient,
): boolean {
  const addon = addons.get(`${identity.clusterName}/${metadata?.annotations?.[addonNameAnnotation]}`);
  if (!addon) return false;
  const configs = registrationConfigs(addon, addonDrivers.auth);
  if (configs.length === 0 || addon.metadata?.deletionTimestamp) return true;
  return configs.some(
    ({ namespace, secretName, isHosted }) =>
      namespace === metadata?.namespace && secretName === metadata.name && (isHosted ? management : spoke) === client,
  );
}
