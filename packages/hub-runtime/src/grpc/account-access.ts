import type { AccessSource, Clock, ClusterAccess, KubeClient, ObjectKey } from '@flotilla/kube';
import { type MonotonicTime, timeAfter } from '@flotilla/kube/clock';
import { createToken } from '@flotilla/kube/kinds';
import { NEVER } from 'rxjs';

/** Longer would outlive the one who asked for it for too long. */
const lifeSeconds = 3600;

/** What the token of an account is asked for with. */
export interface AccountAccessOptions {
  /** Who may ask for it. */
  readonly client: Pick<KubeClient, 'resource'>;
  /** Where the API server is; the credentials in it are not used. */
  readonly access: Pick<ClusterAccess, 'server' | 'ca' | 'tlsServerName' | 'proxyUrl'>;
  /** `namespace/name` of the service account. */
  readonly account: ObjectKey;
  readonly clock: Clock;
}

/**
 * Access as a service account, as a pod would have it, for a program that runs outside of the cluster with the kubeconfig of a user who
 * may do more. The token is renewed before it ends.
 */
export function accountAccess({ client, access, account, clock }: AccountAccessOptions): AccessSource {
  const { server, ca, tlsServerName, proxyUrl } = access;
  let current: Promise<ClusterAccess> | undefined;
  let renewAt: MonotonicTime | undefined;
  const renew = async (): Promise<ClusterAccess> => {
    const { token, expirationTimestamp } = await createToken(client, account, { expirationSeconds: lifeSeconds });
    const afterMs = (Date.parse(expirationTimestamp) - clock.now()) * 0.8;
    renewAt = timeAfter(clock.monotonic(), afterMs);
    return {
      server,
      authorization: `Bearer ${token}`,
      // Whoever holds the access asks again from then on.
      expiresAt: clock.now() + afterMs,
      origin: `ServiceAccount ${account}`,
      ...(ca && { ca }),
      ...(tlsServerName && { tlsServerName }),
      ...(proxyUrl && { proxyUrl }),
    };
  };
  return {
    current() {
      if (current && (renewAt === undefined || clock.monotonic() < renewAt)) return current;
      const renewing = renew();
      renewAt = undefined;
      current = renewing;
      renewing.catch(() => {
        if (current === renewing) current = undefined;
      });
      return renewing;
    },
    changes: NEVER,
    errors: NEVER,
    invalidate() {
      current = undefined;
    },
    close() {},
  };
}
