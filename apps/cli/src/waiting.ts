import { KubeError } from '@flotilla/kube';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import type { Progress } from './output/progress.ts';

/** What a look came to: there, or not yet and why. */
export type Look<T> = { readonly found: T } | { readonly pending: string };

const betweenLooksMs = 200;

/** Looks again and again until it is there; a server that cannot be reached for a while is waited for too. */
export async function waitFor<T>(
  { clock, signal }: Pick<CliContext, 'clock' | 'signal'>,
  what: { readonly goal: string; readonly hint: string; readonly timeoutMs: number; readonly progress: Progress },
  look: () => Promise<Look<T>>,
): Promise<T> {
  const deadline = clock.monotonic() + what.timeoutMs;
  for (;;) {
    const seen = await look().catch((error: unknown) => {
      if (error instanceof KubeError && error.retryable) return { pending: error.message };
      throw error;
    });
    if ('found' in seen) return seen.found;
    if (clock.monotonic() >= deadline) {
      const seconds = Math.round(what.timeoutMs / 1000);
      throw new CliError('timeout', `timed out after ${seconds}s waiting for ${what.goal}: ${seen.pending}`, what.hint);
    }
    what.progress.update(`Waiting for ${what.goal}: ${seen.pending}`);
    await clock.sleep(betweenLooksMs, signal);
  }
}
