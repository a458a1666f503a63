import { createHash } from 'node:crypto';
import { type Clock, KubeError } from '@flotilla/kube';
import { Allowance } from '../budget/allowance.ts';
import type { Caller } from '../caller.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { maxParties, maxTokenBytes, peerRates } from '../limits.ts';

/** How long the API server's answer about a token holds. */
const tokenTtlMs = 10_000;

/**
 * Whose tokens are. Tokens that were valid when they were reviewed last are reviewed as often as it takes. For others the API server is asked
 * at a rate for each address, of which valid ones take nothing: guesses cost the callers at other addresses nothing.
 */
export class KnownTokens {
  readonly #review: (token: string) => Promise<Caller | undefined>;
  readonly #clock: Clock;
  readonly #answers: ExpiringCache<Caller | undefined>;
  /** Tokens that were valid, and what is left for addresses; of too many the one that was used longest ago goes. */
  readonly #valid = new Map<string, true>();
  readonly #addresses = new Map<string, Allowance>();

  constructor(review: (token: string) => Promise<Caller | undefined>, clock: Clock) {
    this.#review = review;
    this.#clock = clock;
    this.#answers = new ExpiringCache(clock, () => tokenTtlMs, maxParties);
  }

  /** Undefined for a token that is not valid. Throws `TooManyRequests` for an address that shows too many of these. */
  async callerOf(token: string, address: string): Promise<Caller | undefined> {
    if (token.length > maxTokenBytes) return undefined;
    const key = createHash('sha256').update(token).digest('base64');
    return this.#answers.get(key, async () => {
      const allowance = this.#valid.has(key) ? undefined : this.#takeOne(address);
      const caller = await this.#review(token);
      if (caller) {
        allowance?.giveBack(1);
        keepNewest(this.#valid, key, true);
      } else this.#valid.delete(key);
      return caller;
    });
  }

  #takeOne(address: string): Allowance {
    const rate = peerRates.unknownTokens;
    const now = this.#clock.monotonic();
    const allowance = this.#addresses.get(address) ?? new Allowance(rate, now);
    keepNewest(this.#addresses, address, allowance);
    if (allowance.take(1, now)) return allowance;
    const limit = `${rate.perSecond} a second of the ${rate.what}, after ${rate.burst} at once`;
    throw new KubeError('TooManyRequests', `address ${address} has used up its limit "unknownTokens": ${limit}`, {
      status: 429,
    });
  }
}

function keepNewest<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxParties) return;
    entries.delete(oldest);
  }
}
