import type { Metadata } from '@grpc/grpc-js';

/** Keys of the metadata. */
export const featuresKey = 'ocm-features';
export const replyKey = 'ocm-reply-bin';

/**
 * What this package can do beyond OCM's protocol. A client names what it reads in the metadata of each call, a server what it does in the
 * headers of a stream. Peers of OCM name nothing and notice nothing.
 */
export const ownFeatures = [
  /** Data of events may be compressed, see `compressed`. */
  'gzip',
  /** The answer to an event, such as a token, also comes with the call: whichever replica has the stream. */
  'reply',
  /** An event that is published again with the same id is handled once. */
  'once',
].join(',');

/** What the peer can do. */
export function featuresOf(metadata: Metadata): ReadonlySet<string> {
  const [named] = metadata.get(featuresKey);
  return new Set(typeof named === 'string' ? named.split(',') : []);
}
