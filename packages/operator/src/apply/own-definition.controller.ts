import { type Controller, defineController, done, type Informers, isDeleting, on } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { keepDefinitions } from './keep-definitions.ts';

/**
 * Upgrades the definition of the kind that an operator reconciles. Helm installs it with a chart and never upgrades it, so that a new
 * operator would lose the fields that only its own definition has. A definition of a newer operator stays, and a deleted one is not
 * created again: whoever removes the operator may delete it first.
 */
export function ownDefinitionController(
  informers: Pick<Informers, 'resource'>,
  definition: CustomResourceDefinition,
): Controller {
  const { name } = definition.metadata;
  const cache = informers.resource(customResourceDefinitionResource, { fieldSelector: `metadata.name=${name}` });
  return defineController({
    name: 'own-definition',
    watches: [on(cache)],
    async reconcile(key) {
      const live = cache.get(key);
      if (live && !isDeleting(live)) await keepDefinitions(cache, [definition]);
      return done;
    },
  });
}
