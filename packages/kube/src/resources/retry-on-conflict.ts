import type { KubeErrorCode } from '../errors/codes.ts';
import { KubeError } from '../errors/kube-error.ts';

/** How often and after which errors to call again. */
export interface RetryOnConflictOptions {
  /** Default: 5, as in client-go. */
  readonly attempts?: number;
  /** Default: `Conflict` alone. An attempt that may also create the object adds `AlreadyExists`. */
  readonly codes?: readonly KubeErrorCode[];
  /** Waits after so many failures in a row. Default: does not wait. */
  readonly pause?: (failures: number) => Promise<void>;
}

/**
 * Calls `attempt` again while another writer is faster, as client-go's `RetryOnConflict` does. `attempt` reads the object itself,
 * so that it never repeats a write that was decided on an old version; the last conflict is thrown.
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  { attempts = 5, codes = ['Conflict'], pause }: RetryOnConflictOptions = {},
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts || !KubeError.is(error, ...codes)) throw error;
      await pause?.(failures);
    }
  }
}
