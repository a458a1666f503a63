import { ControllerName, type ManagedClusterSet } from '@flotilla/api-types';
import { applyConditions, type Controller, defineController, done, isDeleting, keyOf, on } from '@flotilla/kube';
import { bySet, type HubDeps } from '../deps.ts';
import { boundStatus } from './binding.status.ts';

/** Says on each binding whether its set exists. */
export function bindingController({ sets, bindings, clock }: HubDeps): Controller {
  const bindingsOf = ({ metadata }: ManagedClusterSet): string[] =>
    bindings.byIndex(bySet, metadata?.name ?? '').map(keyOf);
  return defineController({
    name: ControllerName.ManagedClusterSetBinding,
    watches: [on(bindings), on(sets, bindingsOf, ({ type }) => type !== 'updated')],
    async reconcile(key) {
      const binding = bindings.get(key);
      if (!binding || isDeleting(binding)) return done;
      await applyConditions(bindings, binding, [boundStatus(sets.has(binding.spec?.clusterSet ?? ''))], {
        clock,
        observedGeneration: false,
      });
      return done;
    },
  });
}
