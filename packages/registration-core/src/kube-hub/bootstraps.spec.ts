import { silentLogger, staticAccess } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, kubeBootstraps } from './bootstraps.ts';

const clock = new FakeClock();
const open = (options: { bootstrapKubeconfig?: string; bootstrapKubeconfigs?: string[] }, isMultiple = false) =>
  kubeBootstraps({
    identity: { clusterName: 'c1', agentName: 'a1' },
    options: { bootstrapKubeconfig: '', bootstrapKubeconfigs: [], ...options },
    gates: { MultipleHubs: isMultiple },
    files: {
      kubeconfig: (path) => staticAccess({ server: `https://${path}`, authorization: 'Bearer t', origin: path }),
      text() {
        throw new Error('not in this test');
      },
    },
    connect: () => new FakeApi(clock),
    clock,
    log: silentLogger,
    random: () => 0,
  });
const originsOf = ({ bootstraps }: ReturnType<typeof open>) =>
  Promise.all(bootstraps.map(async (source) => (await source.current()).origin));

describe('the bootstrap kubeconfigs of the flags', () => {
  it('[registration-agent 19.1-9, 19.6-64] are required', () => {
    expect(() => open({})).toThrow('bootstrap-kubeconfig is required');
    expect(() => open({ bootstrapKubeconfig: 'a' }, true)).toThrow('bootstrap-kubeconfigs is required');
  });

  it('[registration-agent 19.1-6] are several with the gate MultipleHubs, at least two, and one without', async () => {
    const given = { bootstrapKubeconfig: 'one', bootstrapKubeconfigs: ['a', 'b'] };
    expect(await originsOf(open(given))).toEqual(['one']);
    expect(await originsOf(open(given, true))).toEqual(['a', 'b']);
    expect(() => open({ bootstrapKubeconfigs: ['a'] }, true)).toThrow('expect at least 2 bootstrap kubeconfigs');
  });

  it('have one fingerprint per server and credentials', async () => {
    const [first, second] = open({ bootstrapKubeconfigs: ['a', 'b'] }, true).bootstraps;
    const again = open({ bootstrapKubeconfig: 'a' }).bootstraps[0];
    expect((await again.current()).fingerprint).toBe((await first.current()).fingerprint);
    expect((await second?.current())?.fingerprint).not.toBe((await first.current()).fingerprint);
  });

  it('have a fingerprint that identifies credentials without holding them, and counts those of a plugin as the same', () => {
    const access = { server: 'https://hub', authorization: 'Bearer a', origin: 'the test' };
    expect(fingerprintOf(access)).not.toBe(fingerprintOf({ ...access, authorization: 'Bearer b' }));
    expect(fingerprintOf(access)).not.toContain('Bearer');
    const issued = { ...access, expiresAt: 1 };
    expect(fingerprintOf(issued)).toBe(fingerprintOf({ ...issued, authorization: 'Bearer b' }));
  });
});
