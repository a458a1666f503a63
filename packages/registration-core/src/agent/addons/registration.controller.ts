import { DataKey, type ManagedCluster, type ManagedClusterAddOn } from '@flotilla/api-types';
import {
  applyConditions,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  type Informers,
  type KubeClient,
  keyOf,
  type Logger,
  on,
  type StoreChange,
  splitKey,
} from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { filter, map, Observable } from 'rxjs';
import type { AgentDriver, AgentIdentity, HubEndpoint, IssuerContext, ObservedAddon } from '../../contract/index.ts';
import { keepCredentials } from '../credentials/credential-loop.ts';
import { type CredentialStore, secretStore } from '../credentials/credential-store.ts';
import { addonSecretOwner } from './addon-secret.ts';
import type { AddonDriverChoice } from './driver-choice.ts';
import { type RegistrationConfig, registrationConfigs, withDriver } from './registration.policy.ts';

/** What the credentials of add-ons need, while one connection to the hub lasts. */
export interface AddonRegistrationOptions {
  readonly identity: AgentIdentity;
  readonly addonDrivers: AddonDriverChoice;
  readonly driver: Pick<AgentDriver, 'addonIssuer'>;
  readonly hub: KubeClient;
  readonly informers: Informers;
  /** As for issuers. */
  readonly requests?: IssuerContext['requests'];
  readonly addons: CachedResource<ManagedClusterAddOn>;
  /** The ManagedCluster, whose uid says for which hub credentials are. */
  readonly clusters: CachedResource<ManagedCluster>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
  readonly spokeInformers: Informers;
  /** Where add-ons reach the API of the hub now. */
  readonly endpoint: () => HubEndpoint;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Aborts with the connection. */
  readonly signal: AbortSignal;
}

interface Running {
  readonly config: RegistrationConfig;
  readonly store: CredentialStore;
  readonly abort: AbortController;
  /** Resolves when nothing of it is written any more. */
  readonly ended: Promise<void>;
}

/** The Secrets of add-ons are not watched; one that was deleted is noticed by then. */
const recheckMs = 5 * 60_000;

/** Gets and renews the credentials that add-ons ask for in their status, and removes them with the add-on. */
export function addonRegistrationController(options: AddonRegistrationOptions): Controller {
  const { identity, addonDrivers, addons, clusters } = options;
  /** By name of the add-on, then by id of the config. */
  const running = new Map<string, Map<string, Running>>();
  const statusWithDriver = (addon: ManagedClusterAddOn) =>
    withDriver(addon, addonDrivers, (registration) =>
      addonDrivers.find(registration)?.subject?.(identity, registration),
    );

  /** Ends a registration. A Secret that another registration goes on using stays, so that there is no gap. */
  const stop = async (old: Running, successors: readonly RegistrationConfig[]): Promise<void> => {
    old.abort.abort();
    await old.ended;
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
    isOptional: true,
    watches: [on(addons), on(clusters, () => addons.list().map(keyOf), isFirst)],
    async reconcile(key, { signal }) {
      const { name } = splitKey(key);
      const addon = addons.get(key);
      // Its arrival wakes this controller.
      if (addon && clusters.get(identity.clusterName)?.metadata?.uid === undefined) return done;
      const known = running.get(name) ?? new Map<string, Running>();
      // While it is being deleted, its agent may still need its credentials to clean up.
      if (addon?.metadata?.deletionTimestamp) return done;
      const registrations = addon && statusWithDriver(addon);
      if (addon && registrations) {
        const { resourceVersion } = addon.metadata ?? {};
        const body = { metadata: { resourceVersion }, status: { registrations } };
        const patched = await addons.status.patch(key, { type: 'merge', body }, { signal });
        // The change wakes this controller again, unless the hub has no field for it.
        if (!statusWithDriver(patched)) return done;
      }
      const wanted = addon ? registrationConfigs(addon, addonDrivers.auth) : [];
      const ids = new Set(wanted.map(({ id }) => id));
      for (const [id, old] of known) {
        if (ids.has(id)) continue;
        await stop(old, wanted);
        known.delete(id);
      }
      for (const config of wanted)
        if (!known.has(config.id)) known.set(config.id, startRegistration(options, key, config));
      if (known.size > 0) running.set(name, known);
      else running.delete(name);
      return done;
    },
  });
}

const isFirst = ({ type }: StoreChange<ManagedCluster>): boolean => type === 'added';

/** Begins to keep the credentials of one registration. */
function startRegistration(options: AddonRegistrationOptions, key: string, config: RegistrationConfig): Running {
  const { identity, addonDrivers, hub, informers, addons, spokeInformers, endpoint, clock, random } = options;
  const { registration, isHosted } = config;
  const abort = new AbortController();
  const client = isHosted ? options.management : options.spoke;
  const log = options.log.child({ addon: registration.addonName, type: registration.type });
  const driver = addonDrivers.find(registration);
  if (!driver) {
    log.warn('no driver of this agent gives add-ons such credentials', { registration });
    const store = secretStore(client, `${config.namespace}/${config.secretName}`);
    return { config, store, abort, ended: Promise.resolve() };
  }
  const addon = observed(addons, key);
  const issuer = driver.create({ identity, addon, clusterDriver: options.driver, clock, log, random }, registration);
  const owner = addonSecretOwner({
    identity,
    addonName: registration.addonName,
    hub: () => options.clusters.get(identity.clusterName)?.metadata?.uid,
    issuer,
    endpoint,
  });
  const store = secretStore(client, `${config.namespace}/${config.secretName}`, owner);
  const ended = keepCredentials({
    issuer,
    connection: {
      hub,
      informers,
      ...(options.requests && { requests: options.requests }),
      signal: AbortSignal.any([options.signal, abort.signal]),
    },
    store,
    endpoint,
    names: { [DataKey.ClusterName]: identity.clusterName },
    recheckMs,
    isExclusive: true,
    // A Secret cannot be written before its namespace is there.
    ...(!isHosted && { retryOn: namespaceCreated(spokeInformers, config.namespace) }),
    async onCondition(condition) {
      const current = addons.get(key);
      if (current) await applyConditions(addons, current, [condition], { clock, observedGeneration: false });
    },
    clock,
    log,
    random,
  }).catch((error: unknown) => log.error('the credentials of an add-on are not kept any more', { error }));
  return { config, store, abort, ended };
}

const observed = (addons: CachedResource<ManagedClusterAddOn>, key: string): ObservedAddon => ({
  current: () => addons.get(key),
  changes: addons.changes.pipe(
    filter((change) => change.key === key),
    map(() => undefined),
  ),
});

/** Emits when the namespace is created, and not for one that is there. */
const namespaceCreated = (informers: Informers, name: string): Observable<void> =>
  new Observable((subscriber) => {
    const cache = informers.resource(namespaces, { fieldSelector: `metadata.name=${name}` });
    const subscription = cache.changes.subscribe(({ type, initial }) => {
      if (type === 'added' && !initial) subscriber.next();
    });
    return () => {
      subscription.unsubscribe();
      cache.close();
    };
  });
