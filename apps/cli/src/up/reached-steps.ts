/** Counts the steps that clusters and works have taken, and resolves promises for those to come. */
export interface ReachedSteps {
  /** Records how many steps have been taken; never fewer than before. Returns how many it were before. */
  record(name: string, steps: number): number;
  /** Resolves when it has taken this many steps; rejects if the signal aborts first. */
  reached(name: string, step: number, signal: AbortSignal): Promise<void>;
}

/** No step is taken yet. */
export function createReachedSteps(): ReachedSteps {
  const taken = new Map<string, number>();
  const waiting = new Set<() => void>();
  return {
    record(name, steps) {
      const before = taken.get(name) ?? 0;
      taken.set(name, Math.max(before, steps));
      for (const check of waiting) check();
      return before;
    },
    reached: (name, step, signal) =>
      new Promise((resolve, reject) => {
        const finish = (act: () => void) => {
          waiting.delete(check);
          signal.removeEventListener('abort', abort);
          act();
        };
        const check = () => {
          if ((taken.get(name) ?? 0) >= step) finish(resolve);
        };
        const abort = () => finish(() => reject(signal.reason));
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
        waiting.add(check);
        check();
      }),
  };
}
