import type { AccessSource, Clock, ClusterAccess, KubeClient, ObjectKey } from '@flotilla/kube';
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
  let renewAt = 0;
  const renew = async (): Promise<ClusterAccess> => {
    const { token, expirationTimestamp } = await createToken(client, account, { expirationSeconds: lifeSeconds });
    const endsAt = Date.parse(expirationTimestamp);
    renewAt = clock.now() + (endsAt - clock.now()) * 0.8;
    return {
      server,
      authorization: `Bearer ${token}`,
      // Whoever holds the access asks again from then on.
      expiresAt: renewAt,
      origin: `ServiceAccount ${account}`,
      ...(ca && { ca }),
      ...(tlsServerName && { tlsServerName }),
      ...(proxyUrl && { proxyUrl }),
    };
  };
  return {
    current() {
      if (current && clock.now() < renewAt) return current;
      const renewing = renew();
      renewAt = Number.POSITIVE_INFINITY;
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
