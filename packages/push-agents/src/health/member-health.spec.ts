import { KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultHealthTimes, MemberHealth } from './member-health.ts';

/** A member that answers as it is told, and what is reported about it. */
function startHealth() {
  const clock = new FakeClock();
  const losses = new Subject<void>();
  const paths: string[] = [];
  let answer: (path: string) => KubeError | undefined = () => undefined;
  let refusal: KubeError | undefined;
  const health = new MemberHealth({
    transport: {
      async request({ path }) {
        paths.push(path);
        const error = answer(path);
        if (error) throw error;
        return { status: 200, headers: {}, body: 'ok' };
      },
    },
    losses,
    refusal: () => refusal,
    times: defaultHealthTimes,
    clock,
    random: () => 1,
  });
  const abort = new AbortController();
  let changes = 0;
  health.changes.subscribe(() => {
    changes += 1;
  });
  const ended = health.run(abort.signal);
  return {
    clock,
    losses,
    paths,
    changes: () => changes,
    status: async () => (await health.check()).condition,
    answers(next: (path: string) => KubeError | undefined) {
      answer = next;
    },
    refuses(error: KubeError | undefined) {
      refusal = error;
    },
    async stop() {
      abort.abort();
      await clock.advance(0);
      await ended;
    },
  };
}

let member: ReturnType<typeof startHealth>;
afterEach(() => member.stop());

const unavailable = () => new KubeError('Unavailable', 'connection refused');

describe('the health of a member', () => {
  it('is reported at the first answer', async () => {
    member = startHealth();
    await member.clock.advance(0);
    expect(await member.status()).toMatchObject({ status: 'True', reason: 'ManagedClusterAvailable' });
    expect(member.changes()).toBe(1);
  });

  it('is asked for every five seconds', async () => {
    member = startHealth();
    await member.clock.advance(60_000);
    expect(member.paths.length).toBeGreaterThanOrEqual(12);
    expect(member.paths.length).toBeLessThanOrEqual(14);
    expect(member.changes()).toBe(1);
  });

  it('is asked for at once when a connection breaks, and reported within ten seconds of a loss', async () => {
    member = startHealth();
    await member.clock.advance(1000);
    member.answers(unavailable);
    member.losses.next();
    await member.clock.advance(100);
    expect(member.paths).toHaveLength(2);
    expect((await member.status())?.status).not.toBe('False');
    await member.clock.advance(9900);
    expect(await member.status()).toMatchObject({
      status: 'False',
      reason: 'ManagedClusterKubeAPIServerUnavailable',
      message: expect.stringContaining('connection refused'),
    });
    expect(member.changes()).toBe(2);
  });

  it('is reported within 15 seconds of a loss that nothing else shows', async () => {
    member = startHealth();
    await member.clock.advance(300);
    member.answers(unavailable);
    await member.clock.advance(15_000);
    expect((await member.status())?.status).toBe('False');
  });

  it('is not asked for without a pause, however many connections break', async () => {
    member = startHealth();
    await member.clock.advance(0);
    for (let index = 0; index < 100; index += 1) {
      member.losses.next();
      await member.clock.advance(10);
    }
    expect(member.paths.length).toBeLessThanOrEqual(6);
  });

  it('comes from /healthz of a server that has no /readyz', async () => {
    member = startHealth();
    member.answers((path) => (path === '/readyz' ? new KubeError('NotFound', 'no such path') : undefined));
    await member.clock.advance(0);
    await member.clock.advance(6000);
    expect(member.paths).toContain('/healthz');
    expect((await member.status())?.status).toBe('True');
  });

  it('is bad while the credential is refused, also where anyone may ask whether the server is ready', async () => {
    member = startHealth();
    await member.clock.advance(0);
    member.refuses(new KubeError('Unauthorized', 'no such account'));
    await member.clock.advance(15_000);
    expect(await member.status()).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/refuses the credential.*flotilla join NAME --push/),
    });
    member.refuses(undefined);
    await member.clock.advance(15_000);
    expect((await member.status())?.status).toBe('True');
  });
});
