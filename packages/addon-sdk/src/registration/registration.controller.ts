import { AddOnControllerName } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, joinKey, keyOf, on, splitKey } from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import { addonsReferencing, byName, isNewOffer } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { hasTemplate } from '../caches/template-reference.ts';
import { writeStatus } from '../caches/write-status.ts';
import { waitsForRollout } from '../configs/waits-for-rollout.ts';
import { addonContext } from '../render/addon-context.ts';
import { isOwnedByOffer, supportedConfigs } from './registration.policy.ts';
import { releaseShared } from './revoke-permissions.ts';
import { wantedStatus } from './wanted-status.ts';

/** Says which credentials the agents of an add-on need, where they go, and what they allow on the hub. */
export function registrationController(deps: AddonDeps): Controller {
  const { definition, caches, clock, triggers } = deps;
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
      const cluster = clusters.get(clusterName);
      if (!cluster || isDeleting(addon) || !isOwnedByOffer(addon)) return done;
      if (definition.templateMode && !hasTemplate(addon)) return done;
      const supported = supportedConfigs(definition.configs ?? {});
      if (!semanticEqual(addon.status?.supportedConfigs, supported)) {
        await writeStatus(addons, addon, { supportedConfigs: supported }, log);
        return done;
      }
      const resolved = addonContext(definition, { addon, cluster }, caches.configsFor(addon), signal);
      // It keeps what it was given for the configuration that it has, until its turn.
      if (waitsForRollout(addon) && resolved.problems.some(({ kind }) => kind === 'refused')) return done;
      const { condition, error, ...wanted } = await wantedStatus(deps, addon, resolved);
      const conditions = setCondition(addon.status?.conditions, condition, clock.now());
      const { registrations, namespace } = addon.status ?? {};
      const next = { ...wanted, conditions };
      const current = { registrations, namespace, conditions: addon.status?.conditions };
      if (!semanticEqual(current, next)) await writeStatus(addons, addon, next, log);
      if (error !== undefined) throw error;
      return done;
    },
  });
}
