import { AddOnControllerName } from '@flotilla/api-types';
import { type Controller, defineController, done, on } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { addonsReferencing } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { writeStatus } from '../caches/write-status.ts';
import { observedReferences } from './config-hashes.policy.ts';
import { findDeclared } from './find-declared.ts';

/** Observes the configuration objects that add-ons of clusters reference. */
export function addonConfigController({ definition, caches }: AddonDeps): Controller {
  const { addons, offers, configs } = caches;
  const { name } = definition;
  return defineController({
    name: AddOnControllerName.Config,
    watches: [
      on(addons, undefined, ({ object }) => object.metadata?.name === name),
      ...configs.map(({ type, cache }) => on(cache, addonsReferencing(caches, name, type))),
    ],
    reads: [offers],
    async reconcile(key, { log }) {
      const addon = addons.get(key);
      if (!addon || !offers.has(name)) return done;
      const configReferences = observedReferences(addon, findDeclared(caches));
      if (semanticEqual(configReferences, addon.status?.configReferences)) return done;
      await writeStatus(addons, addon, { configReferences }, log);
      return done;
    },
  });
}
