/**
 * Runs parts that need one another until the signal aborts. When one of them fails, the others are ended too, and all have ended when this
 * rejects with the first failure: nothing uses what the caller disposes of afterwards.
 */
export async function runTogether(
  parts: readonly ((signal: AbortSignal) => Promise<unknown>)[],
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const failures: unknown[] = [];
  await Promise.all(
    parts.map(async (run) => {
      try {
        await run(both);
      } catch (error) {
        failures.push(error);
        failed.abort(error);
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
}
