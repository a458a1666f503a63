import type { AccessSource, ClusterAccess } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Transport } from '@flotilla/kube/transport';
import { NEVER, Subject } from 'rxjs';
import type { HubEndpoint, StoredConnection, StoredCredentials } from '../contract/index.ts';

/** What an API server authenticates an agent by. */
export interface KubeCredentials {
  /**
   * What to send, with what is stored now: a certificate, a header. May take time, such as to mint a token. Asked again when the
   * stored credentials change, when `expiresAt` has passed, and after `invalidate`.
   */
  current(stored: StoredCredentials): Promise<Partial<ClusterAccess>> | Partial<ClusterAccess>;
  /** The server answered 401: the next `current` must not answer from a cache. The request is repeated with its answer. */
  invalidate?(): void;
}

/** Connects to the API server of a hub with stored credentials. */
export function openConnection(
  connect: (access: AccessSource) => Transport,
  credentials: KubeCredentials,
  initial: { readonly endpoint: HubEndpoint; readonly stored: StoredCredentials },
): StoredConnection {
  const changes = new Subject<void>();
  let { endpoint, stored } = initial;
  const access: AccessSource = {
    async current() {
      const { server, caData, proxyUrl } = endpoint;
      return {
        server,
        origin: 'the stored hub credentials',
        ...(caData !== undefined && { ca: Buffer.from(caData, 'base64').toString('utf8') }),
        ...(proxyUrl !== undefined && { proxyUrl }),
        ...(await credentials.current(stored)),
      };
    },
    changes,
    errors: NEVER,
    invalidate: () => credentials.invalidate?.(),
    close: () => changes.complete(),
  };
  const transport = connect(access);
  return {
    transport,
    update(nextEndpoint, nextStored) {
      if (semanticEqual(endpoint, nextEndpoint) && semanticEqual(stored, nextStored)) return;
      endpoint = nextEndpoint;
      stored = nextStored;
      changes.next();
    },
    async close() {
      await transport.close();
      access.close();
    },
  };
}
