import type { ObjectMeta } from '@flotilla/schema';
import { mergeOwners } from '../ownership.ts';

type Pairs = Record<string, string>;

/** A key that ends with `-` removes the key before it; all others are set, and those of others are left alone. */
function mergePairs(live: Pairs | undefined, required: Pairs | undefined): Pairs | undefined {
  let merged = live;
  for (const [key, value] of Object.entries(required ?? {})) {
    const isRemoval = key.endsWith('-');
    const name = isRemoval ? key.slice(0, -1) : key;
    const current = merged && Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (isRemoval ? current === undefined : current === value) continue;
    const { [name]: _, ...others } = merged ?? {};
    merged = isRemoval ? others : { ...merged, [name]: value };
  }
  return merged;
}

/** The metadata of the live object with labels, annotations and owners as required; the same value if nothing changes. */
export function mergeMetadata(live: ObjectMeta, required: ObjectMeta): ObjectMeta {
  const labels = mergePairs(live.labels, required.labels);
  const annotations = mergePairs(live.annotations, required.annotations);
  const before = live.ownerReferences ?? [];
  const ownerReferences = mergeOwners(before, required.ownerReferences);
  if (labels === live.labels && annotations === live.annotations && ownerReferences === before) return live;
  return {
    ...live,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences !== before && { ownerReferences: [...ownerReferences] }),
  };
}

const withoutMarkers = (pairs: Pairs): Pairs =>
  Object.fromEntries(Object.entries(pairs).filter(([key]) => !key.endsWith('-')));

/** The metadata to create an object with: what is to be removed is simply left out. */
export function metadataForCreation(required: ObjectMeta): ObjectMeta {
  const { labels, annotations, ownerReferences, ...rest } = required;
  const owners = ownerReferences?.filter(({ uid }) => !uid.endsWith('-')) ?? [];
  return {
    ...rest,
    ...(labels && { labels: withoutMarkers(labels) }),
    ...(annotations && { annotations: withoutMarkers(annotations) }),
    ...(owners.length > 0 && { ownerReferences: owners }),
  };
}
