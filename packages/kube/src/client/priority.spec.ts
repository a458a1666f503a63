import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Handler, SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;
const apply = { method: 'PUT', path: '/apply', body: '{}', deadlineMs: 90_000 } as const;
const renewal = { method: 'PUT', path: '/lease', body: '{}', priority: 'critical' } as const;

/** Answers applies only on demand, like a server whose admission webhook hangs. */
function stuckOnApplies() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const handler: Handler = async ({ path }) => {
    if (path === '/apply') await promise;
    return {};
  };
  return { handler, release };
}

describe.each(['h2', 'http/1.1'] as const)('over %s', (protocol) => {
  it('a lease renewal is answered while a thousand applies are not', async () => {
    const { handler, release } = stuckOnApplies();
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    const applied = Promise.all(Array.from({ length: 1_000 }, () => transport.request(apply)));
    // The tenth that is left of the hundred slots is for what is critical.
    await expect.poll(() => server.seen.length).toBe(90);
    expect((await transport.request(renewal)).status).toBe(200);
    expect(server.seen.filter(({ path }) => path === '/apply')).toHaveLength(90);
    release();
    expect((await applied).every(({ status }) => status === 200)).toBe(true);
    expect(server.seen).toHaveLength(1_001);
  });
});

describe('a full queue', () => {
  it('ends a request whose deadline passes in it, and says what it waited for', async () => {
    const { handler, release } = stuckOnApplies();
    await using server = await SpecServer.start({ tls: harness().tls, handler });
    const clock = new FakeClock();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { clock, maxInFlight: 10 });
    const applied = Promise.all(Array.from({ length: 20 }, () => transport.request(apply)));
    await expect.poll(() => server.seen.length).toBe(9);
    const late = failure(transport.request({ ...get, deadlineMs: 1_000 }));
    await clock.advance(1_000);
    expect((await late).message).toContain('it was waiting for a free slot');
    release();
    await applied;
  });
});

describe('a limited rate', () => {
  it('spaces requests out, and does not hold up a lease renewal', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const clock = new FakeClock();
    const rateLimit = { qps: 1, burst: 2 };
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { clock, rateLimit });
    await Promise.all([transport.request(get), transport.request(get)]);
    const third = transport.request(get);
    await transport.request(renewal);
    expect(server.seen.map(({ path }) => path)).toEqual(['/api', '/api', '/lease']);
    await clock.advance(1_000);
    await third;
    expect(server.seen.map(({ path }) => path)).toEqual(['/api', '/api', '/lease', '/api']);
  });
});
