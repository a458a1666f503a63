import { DataKey, type ManagedClusterAddOn } from '@flotilla/api-types';
import {
  applyConditions,
  type CachedResource,
  type Controller,
  defineController,
  done,
  on,
  splitKey,
} from '@flotilla/kube';
import type { AgentContext, PhaseScope } from '../context.ts';
import { keepCredentials } from '../credentials/credential-loop.ts';
import { type CredentialStore, secretStore } from '../credentials/credential-store.ts';
import { formatHubKubeconfig } from '../credentials/hub-kubeconfig.ts';
import type { HubConnection } from '../hub-connection.ts';
import { type RegistrationConfig, registrationConfigs, withDriver } from './registration.policy.ts';

interface Running {
  readonly config: RegistrationConfig;
  readonly store: CredentialStore;
  readonly abort: AbortController;
}

/** Nobody watches the Secrets of add-ons, so one that was deleted is noticed by then. */
const recheckMs = 5 * 60_000;

/** Gets and renews the credentials that add-ons ask for in their status, and takes them away with the add-on. */
export function addonRegistrationController(
  context: AgentContext,
  scope: PhaseScope,
  { hub, hubInformers, endpoint }: HubConnection,
  addons: CachedResource<ManagedClusterAddOn>,
): Controller {
  const { driver, clock, random, identity, management, spoke } = context;
  /** By name of the add-on, then by id of the config. */
  const running = new Map<string, Map<string, Running>>();

  const start = (key: string, config: RegistrationConfig): Running => {
    const abort = new AbortController();
    const client = config.isHosted ? management : spoke;
    const store = secretStore(client, `${config.namespace}/${config.secretName}`);
    const forked = driver.fork?.(config.registration);
    const log = context.log.child({ addon: config.registration.addonName, type: config.registration.type });
    if (!forked) {
      log.warn('this way of registration gives add-ons no credentials');
      return { config, store, abort };
    }
    const user = config.registration.type === 'kubeClient' ? forked.kubeconfigUser() : undefined;
    keepCredentials({
      driver: forked,
      connection: { hub, informers: hubInformers, signal: AbortSignal.any([scope.signal, abort.signal]) },
      store,
      additional: () => ({
        [DataKey.ClusterName]: identity.clusterName,
        ...(user && { [DataKey.Kubeconfig]: formatHubKubeconfig(endpoint(), user) }),
      }),
      recheckMs,
      async onCondition(condition) {
        const addon = addons.get(key);
        if (addon) await applyConditions(addons, addon, [condition], { clock });
      },
      clock,
      log,
      random,
    }).catch((error: unknown) => log.error('the credentials of an add-on are not kept any more', { error }));
    return { config, store, abort };
  };

  /** Ends a registration. A Secret that another registration goes on using stays, so that there is no gap. */
  const stop = async (old: Running, successors: readonly RegistrationConfig[]): Promise<void> => {
    old.abort.abort();
    const isInherited = successors.some(
      (next) =>
        next.namespace === old.config.namespace &&
        next.secretName === old.config.secretName &&
        next.isHosted === old.config.isHosted,
    );
    if (!isInherited) await old.store.delete();
  };

  return defineController({
    name: 'addon-registration',
    watches: [on(addons)],
    async reconcile(key, { signal }) {
      const { name } = splitKey(key);
      const addon = addons.get(key);
      const known = running.get(name) ?? new Map<string, Running>();
      // While it is being deleted, its agent may still need its credentials to clean up.
      if (addon?.metadata?.deletionTimestamp) return done;
      const registrations = addon && withDriver(addon);
      if (addon && registrations) {
        const { resourceVersion } = addon.metadata ?? {};
        const body = { metadata: { resourceVersion }, status: { registrations } };
        await addons.status.patch(key, { type: 'merge', body }, { signal });
        return done;
      }
      const wanted = addon ? registrationConfigs(addon) : [];
      const ids = new Set(wanted.map(({ id }) => id));
      for (const [id, old] of known) {
        if (ids.has(id)) continue;
        await stop(old, wanted);
        known.delete(id);
      }
      for (const config of wanted) if (!known.has(config.id)) known.set(config.id, start(key, config));
      if (known.size > 0) running.set(name, known);
      else running.delete(name);
      return done;
    },
  });
}
