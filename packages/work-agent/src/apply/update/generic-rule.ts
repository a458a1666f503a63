import { semanticEqual } from '@flotilla/kube/meta';
import type { Manifest } from '../../manifest.ts';
import { mergeMetadata } from './metadata.ts';
import { nothing, type UpdateRule } from './rule.ts';

/** What is compared of an object of any kind. */
function bodyOf(manifest: Manifest): Record<string, unknown> {
  const { metadata: _, status: __, apiVersion: ___, kind: ____, ...body } = manifest;
  return body;
}

/** Whether two objects say the same, apart from metadata and status. */
export const sameBody = (a: Manifest, b: Manifest): boolean =>
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.metadata?.name === b.metadata?.name &&
  (a.metadata?.namespace ?? '') === (b.metadata?.namespace ?? '') &&
  semanticEqual(bodyOf(a), bodyOf(b));

/**
 * The rule of all kinds without one of their own: the manifest replaces the object as a whole, with the labels, annotations,
 * owners and finalizers that others added to it.
 */
export const genericRule: UpdateRule = (required, live) => {
  const before = live.metadata ?? {};
  const metadata = mergeMetadata(before, required.metadata ?? {});
  if (metadata === before && sameBody(required, live)) return nothing;
  const { labels, annotations, ownerReferences } = metadata;
  const { resourceVersion, finalizers } = before;
  return {
    kind: 'replace',
    object: {
      ...required,
      metadata: {
        ...required.metadata,
        resourceVersion,
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        ...(ownerReferences && { ownerReferences }),
        ...(finalizers ? { finalizers } : { finalizers: undefined }),
      },
    },
  };
};
