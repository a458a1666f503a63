import { AddOnControllerName } from '@flotilla/api-types';
import { type Controller, defineController, done, isAbsence, KubeError, on } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { AddonDeps } from '../caches/deps.ts';
import { hashedStatus } from './config-hashes.policy.ts';
import { findDeclared } from './find-declared.ts';

/** Keeps the hashes of the configuration objects that a ClusterManagementAddOn references: a change of one begins a rollout. */
export function managementConfigController({ definition, caches }: AddonDeps): Controller {
  const { offers, configs } = caches;
  const { name } = definition;
  return defineController({
    name: AddOnControllerName.ManagementConfig,
    watches: [on(offers, undefined, ({ key }) => key === name), ...configs.map(({ cache }) => on(cache, () => name))],
    async reconcile(key, { log }) {
      const offer = offers.get(key);
      if (!offer) return done;
      const status = hashedStatus(offer, findDeclared(caches));
      const { defaultConfigReferences, installProgressions } = offer.status ?? {};
      if (semanticEqual(status, { defaultConfigReferences, installProgressions })) return done;
      const { uid, resourceVersion } = offer.metadata ?? {};
      try {
        await offers.status.patch(key, { type: 'merge', body: { metadata: { uid, resourceVersion }, status } });
      } catch (error) {
        // Another writer was faster, and its change wakes this controller again.
        if (KubeError.is(error, 'Conflict')) log.debug('the ClusterManagementAddOn has changed meanwhile');
        else if (!isAbsence(error)) throw error;
      }
      return done;
    },
  });
}
