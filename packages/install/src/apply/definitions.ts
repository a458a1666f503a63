import type { KubeClient } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { isOwnedBy, type Owner } from '../ownership.ts';

/**
 * The definitions to apply. Those of others, such as OCM's operator, are neither changed nor removed later. One that has more
 * versions than ours stays too: objects may be stored in them.
 */
export async function definitionsToApply(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
  owner: Owner,
): Promise<CustomResourceDefinition[]> {
  const { items } = await client.resource(customResourceDefinitions).list();
  const found = new Map(items.map((item) => [item.metadata?.name, item]));
  return definitions.filter((definition) => {
    const present = found.get(definition.metadata.name);
    return !present || (isOwnedBy(owner, present) && versionsOf(present).every(isVersionOf(definition)));
  });
}

interface Versioned {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

const versionsOf = ({ spec }: Versioned): string[] => spec.versions.map(({ name }) => name);

const isVersionOf =
  (definition: Versioned) =>
  (name: string): boolean =>
    versionsOf(definition).includes(name);
