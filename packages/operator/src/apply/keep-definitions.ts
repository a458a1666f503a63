import { Annotation } from '@flotilla/api-types';
import { retryStalledCleanup } from '@flotilla/install';
import { type CachedResource, type Clock, isAbsence, isDeleting, KubeError, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { ApplyError, type ObjectFailure } from './apply-error.ts';
import { definitionChange, definitionsVersion, writtenDefinition } from './definition.policy.ts';
import { type KeptObjects, relatedResource } from './kept-objects.ts';

type Definitions = Pick<CachedResource<CustomResourceDefinition>, 'get' | 'find' | 'create' | 'replace'>;

/** Applies definitions. The cache need not have all of them: those without the label of an owner are read from the server. */
export async function keepDefinitions(
  cache: Definitions,
  definitions: readonly CustomResourceDefinition[],
): Promise<KeptObjects> {
  const results = await Promise.allSettled(definitions.map((definition) => keepDefinition(cache, definition)));
  const failures = results.flatMap((result, index): ObjectFailure[] => {
    const object = definitions[index];
    return object && result.status === 'rejected' ? [{ object, error: result.reason }] : [];
  });
  if (failures.length > 0) throw new ApplyError(failures);
  const relatedResources = definitions.map((one) => relatedResource(customResourceDefinitionResource, one));
  return { relatedResources, generations: [] };
}

async function keepDefinition(cache: Definitions, definition: CustomResourceDefinition): Promise<void> {
  const live = cache.get(keyOf(definition)) ?? (await cache.find(keyOf(definition)));
  if (live && isDeleting(live)) throw goingAway(definition);
  const change = definitionChange(live, definition);
  if (change === 'create') await cache.create(writtenDefinition(undefined, definition));
  if (change === 'update') await cache.replace(writtenDefinition(live, definition));
}

const goingAway = ({ metadata }: KubeObject): KubeError =>
  new KubeError('Conflict', `it is being deleted, with all objects of its kind`, {
    hint: `Objects with finalizers hold it: kubectl get ${metadata?.name} -A. It is made again once it is gone.`,
  });

type Removable = Pick<CachedResource<CustomResourceDefinition>, 'find' | 'delete' | 'patch'>;

/** Whose definitions are removed. */
interface DefinitionRemoval {
  readonly label: string;
  readonly owner: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Deletes definitions of an owner and says which are still there: a definition goes after the last object of its kind. */
export async function removeDefinitions(
  cache: Removable,
  names: readonly string[],
  { label, owner, clock }: DefinitionRemoval,
): Promise<readonly CustomResourceDefinition[]> {
  const left: CustomResourceDefinition[] = [];
  for (const name of names) {
    const live = await cache.find(name);
    if (live?.metadata.labels?.[label] !== owner) continue;
    left.push(live);
    if (isDeleting(live)) await retryStalledCleanup(cache, live, clock);
    else await cache.delete(name);
  }
  return left;
}

/** Leaves definitions to whoever comes next: an operator of any version may then write them. */
export async function releaseDefinitions(
  cache: Pick<CachedResource<CustomResourceDefinition>, 'find' | 'patch'>,
  names: readonly string[],
  labels: readonly string[],
): Promise<void> {
  for (const name of names) {
    const live = await cache.find(name);
    if (live?.metadata?.annotations?.[Annotation.CrdVersion] !== definitionsVersion) continue;
    const body = {
      metadata: {
        annotations: { [Annotation.CrdVersion]: null },
        labels: Object.fromEntries(labels.map((label) => [label, null])),
      },
    };
    await cache.patch(name, { type: 'merge', body }).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
  }
}
