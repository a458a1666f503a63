import type { ManagedCluster } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  findCondition,
  type KubeClient,
  KubeError,
  on,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import { createToken, type Secret } from '@flotilla/kube/kinds';
import { MemberSecretEntry, memberSecretKey, readMemberRecord } from '@flotilla/registration-core/push';
import { lifeOf, pauseAfter, renewalDelay, type TokenLife } from './token.policy.ts';
import { accessRenewedCondition, notRenewed, renewed } from './token.status.ts';

/** What the renewal of the token of a pushed cluster needs. */
export interface TokenRenewalOptions {
  readonly clusterName: string;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly secrets: CachedResource<Secret>;
  readonly spoke: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
}

const backoff = { baseMs: 5000, maxMs: 300_000 };
/** Node's timers cannot wait longer than 24 days; a day is as good. */
const longestWaitMs = 24 * 3600_000;

/** Renews the token of a pushed cluster with itself, and stores it where all who reach the cluster read it. */
export function tokenRenewalController(options: TokenRenewalOptions): Controller {
  const { clusterName, clusters, secrets, clock, random } = options;
  const key = memberSecretKey(clusterName);
  const share = random();
  /** The clock of the member may be hours behind: each of its tokens would then seem to be due. */
  let notBefore: MonotonicTime | undefined;
  return defineController({
    name: 'member-token',
    watches: [on(secrets)],
    backoff,
    async reconcile(_key, { signal }) {
      const secret = secrets.get(key);
      if (!secret) return done;
      const { token, serviceAccount } = readMemberRecord(secret);
      const life = lifeOf(token);
      if (!life || !serviceAccount) return done;
      const pauseMs = notBefore === undefined ? 0 : msBetween(clock.monotonic(), notBefore);
      const delayMs = Math.max(renewalDelay(life, clock.now(), share), pauseMs);
      if (delayMs > 0) return after(Math.min(delayMs, longestWaitMs), 'the token is renewed in time');
      await renew(options, { secret, serviceAccount, life }, signal);
      notBefore = timeAfter(clock.monotonic(), pauseAfter(life));
      const cluster = clusters.get(clusterName);
      if (cluster && findCondition(cluster.status?.conditions, accessRenewedCondition)) {
        await applyConditions(clusters, cluster, [renewed], { clock, observedGeneration: false, signal });
      }
      return done;
    },
  });
}

interface DueToken {
  readonly secret: Secret;
  readonly serviceAccount: string;
  readonly life: TokenLife;
}

async function renew(
  { clusterName, clusters, secrets, spoke, clock }: TokenRenewalOptions,
  { secret, serviceAccount, life }: DueToken,
  signal: AbortSignal,
): Promise<void> {
  const expirationSeconds = Math.round((life.expiresAt - life.issuedAt) / 1000);
  try {
    const { token } = await createToken(spoke, serviceAccount, { expirationSeconds, signal });
    const { uid, resourceVersion } = secret.metadata ?? {};
    const data = { [MemberSecretEntry.Token]: Buffer.from(token).toString('base64') };
    await secrets.patch(
      memberSecretKey(clusterName),
      { type: 'merge', body: { metadata: { uid, resourceVersion }, data } },
      { signal },
    );
  } catch (error) {
    const cluster = clusters.get(clusterName);
    const failed = notRenewed(KubeError.from(error).message, life.expiresAt);
    if (cluster && !signal.aborted)
      await applyConditions(clusters, cluster, [failed], { clock, observedGeneration: false });
    throw error;
  }
}
