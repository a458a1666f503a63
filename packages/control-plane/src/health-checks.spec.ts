import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { healthChecks } from './health-checks.ts';

describe('the health of a control plane', () => {
  const problems = (checks: ReturnType<typeof healthChecks>) =>
    Object.fromEntries(checks.ready.map(({ name, problem }) => [name, problem()]));

  it('is good while the storage can be written and the controllers work', () => {
    const checks = healthChecks({
      clock: new FakeClock(),
      journal: { verify() {} },
      controllerProblem: () => undefined,
    });
    expect(problems(checks)).toEqual({ storage: undefined, controllers: undefined });
  });

  it('tells why a write fails, asks the disk every two seconds at most, and sees when it works again', async () => {
    const clock = new FakeClock();
    let asked = 0;
    let full = true;
    const journal = {
      verify() {
        asked++;
        if (full) throw new Error('database or disk is full');
      },
    };
    const checks = healthChecks({ clock, journal, controllerProblem: () => 'pods are not listed yet' });
    expect(problems(checks)).toEqual({ storage: 'database or disk is full', controllers: 'pods are not listed yet' });
    full = false;
    expect(problems(checks).storage).toBe('database or disk is full');
    expect(asked).toBe(1);
    await clock.advance(2000);
    expect(problems(checks).storage).toBeUndefined();
  });
});
