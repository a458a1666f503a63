import type { Metadata } from '@grpc/grpc-js';

/**
 * What a peer of this package can do beyond OCM's protocol. A client names what it reads in the metadata of each call, a server what it
 * does in the headers of a stream. Peers of OCM name nothing and notice nothing.
 */
type Feature =
  /** Data of events may be compressed, see `compressed`. */
  | 'gzip'
  /** The answer to an event, such as a token, also comes with the call: whichever replica has the stream. */
  | 'reply'
  /** An event that is published again with the same id is handled once. */
  | 'once';

/** Keys of the metadata. */
export const featuresKey = 'ocm-features';
export const replyKey = 'ocm-reply-bin';

/** What this package can do. */
export const ownFeatures = (['gzip', 'reply', 'once'] satisfies Feature[]).join(',');

/** What the peer can do. */
export function featuresOf(metadata: Metadata): ReadonlySet<string> {
  const [named] = metadata.get(featuresKey);
  return new Set(typeof named === 'string' ? named.split(',') : []);
}
