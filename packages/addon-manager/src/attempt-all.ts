import { mapLimited } from '@flotilla/kube';

/** So many requests at a time keep an API server busy and leave it responsive. */
export const mostAtOnce = 32;

/** So long controllers of add-ons wait for more changes after a reconcile: hundreds of clusters, and several writers of each, come in turn. */
export const batchPeriodMs = 100;

/** Does the work for all items. What fails for one does not keep the others from theirs; the first failure is thrown at the end. */
export async function attemptAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await mapLimited(items, mostAtOnce, (item) =>
    work(item).then(
      () => undefined,
      (error: unknown) => ({ error }),
    ),
  );
  const failures = results.filter((result) => result !== undefined);
  if (failures.length > 1) {
    throw new AggregateError(
      failures.map(({ error }) => error),
      `${failures.length} of ${items.length} writes failed`,
      { cause: failures[0]?.error },
    );
  }
  if (failures[0]) throw failures[0].error;
}
