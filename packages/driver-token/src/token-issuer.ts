import { DataKey, LogReason, ServiceAccountName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { createToken } from '@flotilla/kube/kinds';
import type { OptionValues } from '@flotilla/process';
import type {
  AddonDriverContext,
  CredentialIssuer,
  IssuerContext,
  ObtainOutcome,
} from '@flotilla/registration-core/contract';
import { tokenInfrastructure } from './infrastructure.ts';
import type { agentOptions } from './options.ts';
import { notRefreshed, refreshed } from './refresh.conditions.ts';
import { evaluateToken } from './refresh.policy.ts';

/** What tokens are requested with. */
export type TokenContext = AddonDriverContext<OptionValues<typeof agentOptions>>;

/** If the clocks of hub and cluster differ by more than the life of a token, no token seems fresh: requests then have this distance. */
const distanceMs = 60_000;

/** Tokens of the service account that the hub makes for an add-on. */
export function tokenIssuer(context: TokenContext, addonName: string): Pick<CredentialIssuer, 'evaluate' | 'start'> {
  const { addon, clock, log } = context;
  return {
    evaluate(stored) {
      const token = evaluateToken(stored[DataKey.Token], undefined, clock.now());
      return token.valid
        ? { usable: true, expiresAt: token.expiresAt }
        : { usable: false, reason: token.reason, message: token.message };
    },
    start(connection) {
      let last: { readonly uid: string; readonly at: MonotonicTime } | undefined;
      const changes = addon.changes.subscribe(connection.wake);
      connection.signal.addEventListener('abort', () => changes.unsubscribe(), { once: true });
      return async (stored) => {
        const current = addon.current();
        if (!current) return { kind: 'waiting', why: 'the add-on is deleted' };
        const infrastructure = tokenInfrastructure(current);
        if (!infrastructure.ready) return { kind: 'waiting', why: infrastructure.why };
        const uid = infrastructure.serviceAccountUid;
        const token = evaluateToken(stored[DataKey.Token], uid, clock.now());
        if (token.valid) {
          return { kind: 'unchanged', next: { afterMs: token.refreshInMs, why: 'the token is due for renewal' } };
        }
        const checkAfterMs = last?.uid === uid ? distanceMs - msBetween(last.at, clock.monotonic()) : 0;
        if (checkAfterMs > 0) return { kind: 'waiting', why: `${token.message}, just after a new one`, checkAfterMs };
        log.info('requesting a token for an add-on', { why: token.message });
        const outcome = await request(context, addonName, connection);
        if (outcome.kind === 'obtained') last = { uid, at: clock.monotonic() };
        return outcome;
      };
    },
  };
}

/** Requests a token over whatever connection the cluster has to its hub. */
async function request(
  { identity: { clusterName }, options, log }: TokenContext,
  addonName: string,
  { hub, signal }: IssuerContext,
): Promise<ObtainOutcome> {
  const account = `${clusterName}/${ServiceAccountName.AddOnAgent.of({ addOn: addonName })}` as const;
  const expirationSeconds = options.addonTokenExpirationSeconds;
  try {
    const { token, expirationTimestamp } = await createToken(hub, account, { expirationSeconds, signal });
    log.info('the hub gave a token', { event: LogReason.AddOnTokenRefreshed, expirationTimestamp });
    return { kind: 'obtained', credentials: { [DataKey.Token]: token }, condition: refreshed(expirationTimestamp) };
  } catch (cause) {
    const { code, message } = KubeError.from(cause);
    const what = `failed to create token for ServiceAccount ${account}: ${message}`;
    return { kind: 'failed', error: new KubeError(code, what, { cause }), condition: notRefreshed(what) };
  }
}
