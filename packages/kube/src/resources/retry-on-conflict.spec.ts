import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/** An attempt that fails so often with a code before it succeeds. */
function failing(times: number, code: 'Conflict' | 'Forbidden') {
  let calls = 0;
  const attempt = async () => {
    calls += 1;
    if (calls <= times) throw new KubeError(code, 'no');
    return calls;
  };
  return { attempt, calls: () => calls };
}

describe('a write that others make at the same time', () => {
  it('is tried again until it succeeds', async () => {
    expect(await retryOnConflict(failing(4, 'Conflict').attempt)).toBe(5);
  });

  it('fails with the conflict after five attempts, or as many as are allowed', async () => {
    const { attempt, calls } = failing(9, 'Conflict');
    await expect(retryOnConflict(attempt)).rejects.toMatchObject({ code: 'Conflict' });
    expect(calls()).toBe(5);
    await expect(retryOnConflict(failing(2, 'Conflict').attempt, { attempts: 2 })).rejects.toThrow(/^Conflict/);
  });

  it('is not tried again after another error', async () => {
    const { attempt, calls } = failing(1, 'Forbidden');
    await expect(retryOnConflict(attempt)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(calls()).toBe(1);
  });
});
