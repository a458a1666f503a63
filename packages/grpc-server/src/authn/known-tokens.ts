import { createHash } from 'node:crypto';
import { networkOf } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import { Allowance } from '../budget/allowance.ts';
import type { Caller } from '../caller.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { maxParties, maxTokenBytes, peerRates, type Rate, strangerRates } from '../limits.ts';

/** How long the API server's answer about a token holds. */
const tokenTtlMs = 10_000;

/**
 * The callers that tokens stand for. Tokens that were valid when they were reviewed last are reviewed as often as it takes. For others the
 * API server is asked at a rate for each address, of which valid ones take nothing. A /64 of IPv6 is one address. Addresses that never showed a
 * valid token have a rate together, too, so that a caller with many addresses cannot ask the API server without end. Such a caller delays
 * the first tokens of other new addresses, and no others.
 */
export class KnownTokens {
  readonly #review: (token: string) => Promise<Caller | undefined>;
  readonly #clock: Clock;
  readonly #answers: ExpiringCache<Caller | undefined>;
  /** Tokens that were valid, the networks that showed them, and what is left for addresses. Of too many the oldest goes. */
  readonly #valid = new Map<string, true>();
  readonly #members = new Map<string, true>();
  readonly #addresses = new Map<string, Allowance>();
  readonly #strangers: Allowance;

  constructor(review: (token: string) => Promise<Caller | undefined>, clock: Clock) {
    this.#review = review;
    this.#clock = clock;
    this.#strangers = new Allowance(strangerRates.unknownTokens, clock.monotonic());
    this.#answers = new ExpiringCache(clock, () => tokenTtlMs, maxParties);
  }

  /** Undefined for a token that is not valid. Throws `TooManyRequests` for an address that shows too many of these. */
  async callerOf(token: string, address: string): Promise<Caller | undefined> {
    if (token.length > maxTokenBytes) return undefined;
    const key = createHash('sha256').update(token).digest('base64');
    return this.#answers.get(key, async () => {
      const network = networkOf(address);
      const giveBack = this.#valid.has(key) ? undefined : this.#takeOne(network);
      const caller = await this.#review(token).catch((error: unknown) => {
        // The API server has not decided about the token.
        giveBack?.();
        throw error;
      });
      if (caller) {
        giveBack?.();
        keepNewest(this.#valid, key, true);
        keepNewest(this.#members, network, true);
      } else this.#valid.delete(key);
      return caller;
    });
  }

  /** Returns what gives it back. */
  #takeOne(network: string): () => void {
    const now = this.#clock.monotonic();
    const allowance = this.#addresses.get(network) ?? new Allowance(peerRates.unknownTokens, now);
    keepNewest(this.#addresses, network, allowance);
    if (!allowance.take(1, now)) throw usedUp(`address ${network} has used up its limit`, peerRates.unknownTokens);
    const strangers = this.#members.has(network) ? undefined : this.#strangers;
    if (strangers?.take(1, now) === false) {
      allowance.giveBack(1);
      throw usedUp('unknown callers have used up their limit', strangerRates.unknownTokens);
    }
    return () => {
      allowance.giveBack(1);
      strangers?.giveBack(1);
    };
  }
}

const usedUp = (whose: string, { perSecond, burst, what }: Rate): KubeError => {
  const limit = `${perSecond} a second of the ${what}, after ${burst} at once`;
  return new KubeError('TooManyRequests', `${whose} "unknownTokens": ${limit}`, { status: 429 });
};

function keepNewest<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxParties) return;
    entries.delete(oldest);
  }
}
