import type { AddOnIdentity } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { ForwardedResponse } from '@flotilla/kube/transport';

/** A status of the API server is shorter. */
const maxStatusBytes = 64 * 1024;
/** Of any mode of impersonation. An add-on cannot be the one: its requests to impersonate are refused before. */
const cannotImpersonate = /cannot impersonate(-on)?[\w:-]* (resource|path)/;

/**
 * Throws `Unavailable` if the API server refused this process to act for the add-on, which is not an answer to the add-on: a new add-on
 * may ask before the hub has granted it. Gives what it has read of any other refusal.
 */
export async function ownRefusal(
  { status, body, abort }: Pick<ForwardedResponse, 'status' | 'body' | 'abort'>,
  { user }: AddOnIdentity,
): Promise<readonly Uint8Array[]> {
  if (status !== 403) return [];
  const read: Uint8Array[] = [];
  let size = 0;
  // By hand: a loop over the body would close it.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    read.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > maxStatusBytes) return read;
  }
  if (!cannotImpersonate.test(Buffer.concat(read).toString())) return read;
  abort();
  // The hint of an error does not travel, and whoever reads this is on the cluster.
  const why =
    'its controllers grant that if they run with the registration driver grpc and the roles of the gRPC server';
  throw new KubeError('Unavailable', `the hub does not let its gRPC server act for ${user} yet; ${why}`);
}
