import { AddOnControllerName, type AddOnRegistration, type ManagedClusterAddOn } from '@flotilla/api-types';
import {
  type ConditionInput,
  type Controller,
  defineController,
  done,
  isDeleting,
  joinKey,
  on,
  splitKey,
} from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import { addonsReferencing } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { hasTemplate } from '../caches/template-reference.ts';
import { writeStatus } from '../caches/write-status.ts';
import type { AddonContext } from '../definition/context.ts';
import { addonContext, installNamespaceFor, valueFor } from '../render/addon-context.ts';
import { applyPermissions, releaseShared } from './apply-permissions.ts';
import { isOwnedByOffer, registrationsFor, subjectsOf, supportedConfigs } from './registration.policy.ts';
import { nilRegistration, permissionApplied, permissionFailed, permissionPending } from './registration.status.ts';

interface WantedStatus {
  readonly condition: ConditionInput;
  readonly namespace: string | undefined;
  readonly registrations: readonly AddOnRegistration[];
  readonly error?: unknown;
}

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
      const { context } = addonContext(definition, { addon, cluster }, caches.findConfig, signal);
      const { condition, error, ...wanted } = await statusFor(deps, addon, context);
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

/** The status as it shall be, and what must be tried again although it is written. What the author's functions throw is a condition, too. */
async function statusFor(deps: AddonDeps, addon: ManagedClusterAddOn, context: AddonContext): Promise<WantedStatus> {
  const { definition } = deps;
  const scope = { cluster: addon.metadata?.namespace ?? '', addOn: definition.name };
  let { namespace, registrations = [] } = addon.status ?? {};
  try {
    const declared = (await valueFor(definition.registration, context)) ?? [];
    namespace = await installNamespaceFor(definition, context);
    registrations = registrationsFor(declared, registrations, scope);
    if (declared.length === 0) return { condition: nilRegistration, namespace, registrations };
    const permissions = declared.flatMap((one) => (one.type === 'kubeClient' ? one.permissions : []));
    const outcome = await applyPermissions(deps, addon, permissions, subjectsOf(registrations));
    const condition = outcome === 'applied' ? permissionApplied : permissionPending;
    return { condition, namespace, registrations };
  } catch (error) {
    return { condition: permissionFailed(error), namespace, registrations, error };
  }
}
