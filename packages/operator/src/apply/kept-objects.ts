import type { OperatorStatus, RelatedResource } from '@flotilla/api-types';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** The generation of a Deployment when the operator last wrote it. */
export type KeptGeneration = NonNullable<OperatorStatus['generations']>[number];

/** What the status of a ClusterManager or Klusterlet lists. */
export interface KeptObjects {
  readonly relatedResources: readonly RelatedResource[];
  readonly generations: readonly KeptGeneration[];
}

/** An object as the status names it. */
export const relatedResource = (
  { group, version, plural }: ResourceType,
  { metadata: { namespace, name = '' } = {} }: KubeObject,
): RelatedResource => ({ group, version, resource: plural, ...(namespace && { namespace }), name });

/** The generation that was recorded for an object. */
export const recordedGeneration = (
  generations: readonly KeptGeneration[] | undefined,
  { group, resource, namespace, name }: RelatedResource,
): number | undefined =>
  generations?.find(
    (kept) => kept.group === group && kept.resource === resource && kept.namespace === namespace && kept.name === name,
  )?.lastGeneration;

/** Several lists as one, for clusters and steps that are applied one after the other. */
export const joinKept = (...all: readonly KeptObjects[]): KeptObjects => ({
  relatedResources: all.flatMap(({ relatedResources }) => relatedResources),
  generations: all.flatMap(({ generations }) => generations),
});
