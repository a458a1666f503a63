import { DataKey, MountPath } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { Secret, ServiceAccount } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { formatTime, parseTime } from '@flotilla/kube/meta';

const hourMs = 3_600_000;

/** What is asked for; API servers may give less. */
export const tokenSeconds = 8640 * 3600;

/** OCM's: with less than this left, a token is replaced. */
const latestRenewalMs = 1728 * hourMs;

/** A managed cluster that gives tokens which have ended must not keep the operator busy. */
const leastPauseMs = 60_000;

/** When the token was asked for, by the clock of the operator. */
const issuedKey = 'issued';

/** What a kubeconfig of a hosted agent is about. */
export interface AgentKubeconfig {
  readonly access: ClusterAccess;
  readonly account: ServiceAccount;
}

/** The kubeconfig of a hosted agent: the server of the managed cluster, and a token in a file beside it. */
function agentKubeconfig({
  access: { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl },
}: AgentKubeconfig): string {
  const reach: ClusterAccess = {
    server,
    origin: '',
    ...(ca !== undefined && { ca }),
    ...(insecureSkipTlsVerify && { insecureSkipTlsVerify }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
  const document = kubeconfigFor(reach, { cluster: 'cluster', user: 'user', context: 'context' });
  const tokenFile = `${MountPath.SpokeConfigDirectory}/${DataKey.Token}`;
  return formatKubeconfig({ ...document, users: [{ name: 'user', user: { tokenFile } }] });
}

/** The entries of a Secret with such a kubeconfig, as OCM writes them. */
export const agentSecretData = (
  input: AgentKubeconfig,
  { token, expirationTimestamp }: { readonly token: string; readonly expirationTimestamp: string },
  now: number,
): Record<string, string> => ({
  [DataKey.Kubeconfig]: agentKubeconfig(input),
  [DataKey.Token]: token,
  [DataKey.TokenExpiration]: expirationTimestamp,
  [DataKey.ServiceAccountNamespace]: input.account.metadata?.namespace ?? '',
  [DataKey.ServiceAccountName]: input.account.metadata?.name ?? '',
  [DataKey.ServiceAccountUid]: input.account.metadata?.uid ?? '',
  [issuedKey]: formatTime(now),
});

/**
 * When the token of a Secret is to be replaced, in milliseconds since the epoch; 0 for at once: the Secret leads elsewhere, is of another
 * service account, or has no token that can be read. A fifth of the life of a token is left then, or OCM's 72 days if that is less.
 */
export function renewalTime(secret: Secret | undefined, input: AgentKubeconfig): number {
  const entry = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString('utf8');
  const expiry = parseTime(entry(DataKey.TokenExpiration));
  if (entry(DataKey.Kubeconfig) !== agentKubeconfig(input)) return 0;
  const isSame =
    entry(DataKey.ServiceAccountUid) === (input.account.metadata?.uid ?? '') && entry(DataKey.Token) !== '';
  const soonest = (parseTime(entry(issuedKey)) ?? Number.NEGATIVE_INFINITY) + leastPauseMs;
  if (!isSame || expiry === undefined || Number.isNaN(expiry)) return Math.max(0, soonest);
  const issued = issuedAt(entry(DataKey.Token));
  const fifth = issued === undefined ? latestRenewalMs : (expiry - issued) / 5;
  return Math.max(soonest, expiry - Math.min(latestRenewalMs, fifth));
}

/** When a token was issued, by its claims. They are not verified: nothing depends on them but when to ask for the next one. */
function issuedAt(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const iat = typeof claims === 'object' && claims !== null && 'iat' in claims ? claims.iat : undefined;
    return typeof iat === 'number' ? iat * 1000 : undefined;
  } catch {
    return undefined;
  }
}
