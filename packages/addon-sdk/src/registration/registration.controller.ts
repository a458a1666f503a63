import { AddOnControllerName, type ManagedClusterAddOn } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, joinKey, keyOf, on, splitKey } from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import { addonsReferencing, byName, isNewOffer } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { hasTemplate } from '../caches/template-reference.ts';
import { writeStatus } from '../caches/write-status.ts';
import { observedStatus } from '../config-hashes/observed-status.ts';
import { waitsForRollout } from '../configs/waits-for-rollout.ts';
import { addonContext } from '../render/addon-context.ts';
import { declaredHealthMode } from './declared-health-mode.ts';
import { isOwnedByOffer, supportedConfigs } from './registration.policy.ts';
import { releaseShared } from './revoke-permissions.ts';
import { wantedStatus } from './wanted-status.ts';

/**
 * Says which credentials the agents of an add-on need, where they go, and what they allow on the hub. What else is known of an add-on before
 * it is deployed is said in the same write: the configurations that it takes and has, and who knows its health.
 */
export function registrationController(deps: AddonDeps): Controller {
  const { definition, caches, triggers } = deps;
  const { addons, clusters, registration: registrationCaches } = caches;
  const { name } = definition;

  return defineController({
    name: AddOnControllerName.Registration,
    watches: [
      on(addons, undefined, ({ object }) => object.metadata?.name === name),
      on(
        clusters,
        ({ metadata }) => joinKey(metadata?.name, name),
        ({ type }) => type !== 'updated',
      ),
      ...caches.configs.map(({ type, cache }) => on(cache, addonsReferencing(caches, name, type))),
      on(caches.offers, () => addons.byIndex(byName, name).map(keyOf), isNewOffer(name)),
      on(triggers),
    ],
    reads: registrationCaches ? [registrationCaches.roles, registrationCaches.roleBindings] : [],
    async reconcile(key, { log, signal }) {
      const addon = addons.get(key);
      const { namespace: clusterName = '' } = splitKey(key);
      if (!addon) {
        const hasAddon = (other: string) => addons.has(joinKey(other, name));
        if (registrationCaches) await releaseShared(registrationCaches, name, clusterName, hasAddon);
        return done;
      }
      const { status, error } = await registeredStatus(deps, addon, signal);
      const wanted = { ...observedStatus(deps, addon), ...status };
      if (!semanticEqual({ ...addon.status, ...wanted }, { ...addon.status })) {
        await writeStatus(addons, addon, wanted, log);
      }
      if (error !== undefined) throw error;
      return done;
    },
  });
}

interface Registered {
  /** The part of the status that it is about. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** What must be tried again although it is in a condition. */
  readonly error?: unknown;
}

/** What the status of an add-on shall say of its registration; nothing while it may not register. */
async function registeredStatus(deps: AddonDeps, addon: ManagedClusterAddOn, signal: AbortSignal): Promise<Registered> {
  const { definition, caches, clock } = deps;
  const cluster = caches.clusters.get(addon.metadata?.namespace ?? '');
  if (!cluster || isDeleting(addon) || !isOwnedByOffer(addon)) return {};
  if (definition.templateMode && !hasTemplate(addon)) return {};
  const supported = { supportedConfigs: supportedConfigs(definition.configs ?? {}) };
  const resolved = addonContext(definition, { addon, cluster }, caches.configsFor(addon), signal);
  // It keeps what it was given for the configuration that it has, until its turn.
  if (waitsForRollout(addon) && resolved.problems.some(({ kind }) => kind === 'refused')) return { status: supported };
  const { condition, error, ...registration } = await wantedStatus(deps, addon, resolved);
  const conditions = setCondition(addon.status?.conditions, condition, clock.now());
  const mode = await declaredHealthMode(definition, resolved);
  const health = mode && { healthCheck: { mode } };
  return { status: { ...supported, ...registration, ...health, conditions }, error };
}
