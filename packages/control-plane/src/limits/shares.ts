/** Limits of something that callers hold: for all together, and for each user. */
export interface ShareLimits {
  readonly total: number;
  readonly perUser: number;
  /** Each user gets so much although others hold the total, so that they cannot lock anybody out. None unless set. */
  readonly minPerUser?: number;
  /** How far these minima may exceed the total together: users may be many. */
  readonly reserved?: number;
}

/** Counts what users hold of something that is limited. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Whether the user gets the amount. Who holds nothing may take more than the limit at once: a large answer can be sent alone. */
  take(user: string, amount: number): boolean {
    const { total, perUser, minPerUser = 0, reserved = 0 } = this.#limits;
    const held = this.#heldBy.get(user) ?? 0;
    if (held > 0 && held + amount > perUser) return false;
    const limit = held + amount <= minPerUser ? total + reserved : total;
    if (this.#held > 0 && this.#held + amount > limit) return false;
    this.add(user, amount);
    return true;
  }

  /** Counts an amount that the user has whatever the limits are: what comes next is refused. */
  add(user: string, amount: number): void {
    this.#held += amount;
    this.#heldBy.set(user, (this.#heldBy.get(user) ?? 0) + amount);
  }

  release(user: string, amount: number): void {
    const left = (this.#heldBy.get(user) ?? 0) - amount;
    this.#held -= amount;
    if (left > 0) this.#heldBy.set(user, left);
    else this.#heldBy.delete(user);
  }
}
