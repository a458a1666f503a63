/** Counts the steps that things have taken, and lets others wait for one. */
export interface Milestones {
  /** Notes how far something has come, never back; answers how far it was before. */
  note(name: string, steps: number): number;
  /** Resolves when it has taken this many steps; rejects if the signal aborts first. */
  reached(name: string, step: number, signal: AbortSignal): Promise<void>;
}

/** Nothing has taken a step yet. */
export function createMilestones(): Milestones {
  const taken = new Map<string, number>();
  const waiting = new Set<() => void>();
  return {
    note(name, steps) {
      const before = taken.get(name) ?? 0;
      taken.set(name, Math.max(before, steps));
      for (const check of waiting) check();
      return before;
    },
    reached: (name, step, signal) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          waiting.delete(check);
          signal.removeEventListener('abort', abort);
          act();
        };
        const check = () => {
          if ((taken.get(name) ?? 0) >= step) settle(resolve);
        };
        const abort = () => settle(() => reject(signal.reason));
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
        waiting.add(check);
        check();
      }),
  };
}
