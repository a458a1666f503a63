import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { healthChecks } from './health-checks.ts';

describe('the health of a control plane', () => {
  const errors = (checks: ReturnType<typeof healthChecks>) =>
    Object.fromEntries(checks.ready.map(({ name, check }) => [name, check()]));

  it('is good while the storage can be written and the controllers work', () => {
    const checks = healthChecks({
      clock: new FakeClock(),
      journal: { verify() {} },
      controllersError: () => undefined,
    });
    expect(errors(checks)).toEqual({ storage: undefined, controllers: undefined });
  });

  it('reports why a write fails, checks the disk every two seconds at most, and sees when it works again', async () => {
    const clock = new FakeClock();
    let asked = 0;
    let full = true;
    const journal = {
      verify() {
        asked++;
        if (full) throw new Error('database or disk is full');
      },
    };
    const checks = healthChecks({ clock, journal, controllersError: () => 'pods are not listed yet' });
    expect(errors(checks)).toEqual({ storage: 'database or disk is full', controllers: 'pods are not listed yet' });
    full = false;
    expect(errors(checks).storage).toBe('database or disk is full');
    expect(asked).toBe(1);
    await clock.advance(2000);
    expect(errors(checks).storage).toBeUndefined();
  });
});
