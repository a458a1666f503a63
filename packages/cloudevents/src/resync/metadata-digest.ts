import { createHash } from 'node:crypto';
import type { KubeObject } from '@flotilla/schema';

type Metadata = NonNullable<KubeObject['metadata']>;

/** Labels and annotations that an agent adds to what it received. */
const localPrefix = 'cloudevents.open-cluster-management.io/';

/** Identifies labels and annotations, so that a missed change of them is noticed. */
export function metadataDigest({ labels = {}, annotations = {} }: Pick<Metadata, 'labels' | 'annotations'>): string {
  const text = JSON.stringify([labels, annotations].map(sortedEntries));
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

const sortedEntries = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries)
    .filter(([key]) => !key.startsWith(localPrefix))
    .sort(([a], [b]) => (a < b ? -1 : 1));
