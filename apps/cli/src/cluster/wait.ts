import { type Observation, type Wait, waitFor as waitForResult } from '@flotilla/install';
import type { CliContext } from '../context.ts';
import type { Progress } from '../output/progress.ts';

/** What a command waits for. */
export interface CliWait extends Pick<Wait, 'goal' | 'hint' | 'timeoutMs'> {
  readonly progress: Progress;
}

/** Waits until there is a result, and shows meanwhile why there is none. */
export const waitFor = <T>(
  { clock, signal }: Pick<CliContext, 'clock' | 'signal'>,
  { progress, ...wait }: CliWait,
  observe: () => Promise<Observation<T>>,
): Promise<T> => waitForResult({ ...wait, clock, signal, onPending: (message) => progress.update(message) }, observe);
