/** What a reconcile answers. Anything thrown means: again, with back-off; a TerminalError means: not again until something changes. */
export type Result = { readonly kind: 'done' } | { readonly kind: 'after'; readonly ms: number; readonly why: string };

/** Nothing more to do until a watched object changes. */
export const done: Result = { kind: 'done' };

/** Requeue after `ms` milliseconds; `why` is shown in logs and debugging. */
export const after = (ms: number, why: string): Result => ({ kind: 'after', ms, why });

const brand = Symbol.for('@flotilla/kube.TerminalError');

/** A failure that trying again cannot fix: counted and logged, then left until the object changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';

  /** What `instanceof` checks. */
  get [brand](): true {
    return true;
  }

  /** By brand and not by class, so that two copies of this package in one process know each other's errors. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
