import type { Clock, KubeClient } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { createToken, type Pod } from '@flotilla/kube/kinds';

/** What a projected token is for. */
export interface TokenTerms {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

interface KeptToken {
  readonly token: string;
  /** When the next one is fetched, milliseconds since the epoch. */
  readonly refreshAt: EpochMs;
}

/** Of their life; and not older than a day, as a kubelet does. */
const refreshShare = 0.8;
const maxAgeMs = 24 * 60 * 60 * 1000;
const defaultSeconds = 3600;

/** The service-account tokens of one pod: bound to it, fetched before the old ones end. */
export class ServiceAccountTokens {
  readonly #client: Pick<KubeClient, 'resource'>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, KeptToken>();

  constructor(client: Pick<KubeClient, 'resource'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** A token that is good for a while. One that cannot be renewed yet stays in use until its end. */
  async token(pod: Pod, { audience, expirationSeconds = defaultSeconds }: TokenTerms): Promise<string> {
    const id = JSON.stringify([audience, expirationSeconds]);
    const kept = this.#kept.get(id);
    const now = this.#clock.now();
    if (kept && now < kept.refreshAt) return kept.token;
    const { namespace, name = '', uid = '' } = pod.metadata ?? {};
    const answer = await createToken(this.#client, `${namespace}/${pod.spec?.serviceAccountName || 'default'}`, {
      ...(audience !== undefined && { audiences: [audience] }),
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    });
    const lifeMs = Date.parse(answer.expirationTimestamp) - now;
    this.#kept.set(id, { token: answer.token, refreshAt: now + Math.min(lifeMs * refreshShare, maxAgeMs) });
    return answer.token;
  }

  /** When the first of them is due; undefined if there is none. */
  get refreshAt(): number | undefined {
    const times = [...this.#kept.values()].map(({ refreshAt }) => refreshAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
