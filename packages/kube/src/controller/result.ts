/** What a reconcile answers. Anything thrown means: again, with back-off; a TerminalError means: not again until something changes. */
export type Result = { readonly kind: 'done' } | { readonly kind: 'after'; readonly ms: number; readonly why: string };

/** Nothing more to do until a watched object changes. */
export const done: Result = { kind: 'done' };

/** Look again in `ms` milliseconds; `why` is shown in logs and debugging. */
export const after = (ms: number, why: string): Result => ({ kind: 'after', ms, why });

/** A failure that trying again cannot mend: counted and logged, then left until the object changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
