import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { retryStalledCleanup } from './stalled-cleanup.ts';

const retriedAt = 'operator.open-cluster-management.io/cleanup-retried-at';
const now = Date.parse('2026-01-01T00:00:00Z');
const clock = new FakeClock(now);

const definition = (reason: string, annotations: Record<string, string> = {}) => ({
  metadata: { name: 'widgets.example.com', deletionTimestamp: '2026-01-01T00:00:00Z', annotations },
  status: {
    conditions: [
      { type: 'Terminating', status: 'True' as const, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});

async function annotationsWritten(object: KubeObject): Promise<unknown[]> {
  const written: unknown[] = [];
  const patch = async (_key: string, { body }: { body: unknown }) => {
    written.push(body);
    return object;
  };
  await retryStalledCleanup({ patch }, object, clock);
  return written;
}

describe('a definition that is being deleted', () => {
  it.each<[string, number, KubeObject]>([
    ['is changed when the server failed to list its objects', 1, definition('InstanceDeletionFailed')],
    ['is left alone while objects with finalizers hold it', 0, definition('InstanceDeletionCheck')],
    ['is left alone while the server deletes its objects', 0, definition('InstanceDeletionInProgress')],
    [
      'is left alone for ten seconds after a change',
      0,
      definition('InstanceDeletionFailed', { [retriedAt]: '2025-12-31T23:59:51Z' }),
    ],
    [
      'is changed again after ten seconds',
      1,
      definition('InstanceDeletionFailed', { [retriedAt]: '2025-12-31T23:59:49Z' }),
    ],
    [
      'is changed again when the clock was set back',
      1,
      definition('InstanceDeletionFailed', { [retriedAt]: '2026-01-01T01:00:00Z' }),
    ],
    [
      'is left alone before it is deleted',
      0,
      { ...definition('InstanceDeletionFailed'), metadata: { name: 'widgets.example.com' } },
    ],
    [
      'is left alone if it is of another kind',
      0,
      { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ],
  ])('%s', async (_, changes, object) => {
    expect(await annotationsWritten(object)).toHaveLength(changes);
  });

  it('holds up no removal when it may not be changed', async () => {
    const patch = () => Promise.reject(new Error('forbidden'));
    await expect(retryStalledCleanup({ patch }, definition('InstanceDeletionFailed'), clock)).resolves.toBeUndefined();
  });

  it('gets the time of the change', async () => {
    const [body] = await annotationsWritten(definition('InstanceDeletionFailed'));
    expect(body).toEqual({ metadata: { annotations: { [retriedAt]: '2026-01-01T00:00:00.000Z' } } });
  });
});
