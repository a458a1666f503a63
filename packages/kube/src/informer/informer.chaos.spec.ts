import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { FaultyServer, things } from './fixtures/faulty-server.ts';
import { createInformers } from './informers.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

const step = fc.oneof(
  { weight: 6, arbitrary: name.map((key) => ({ what: `put ${key}`, run: (server: FaultyServer) => server.put(key) })) },
  {
    weight: 3,
    arbitrary: name.map((key) => ({ what: `remove ${key}`, run: (server: FaultyServer) => server.remove(key) })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { what: 'cut', run: (server: FaultyServer) => server.strike('cut') },
      { what: 'close', run: (server: FaultyServer) => server.strike('close') },
      { what: 'black hole', run: (server: FaultyServer) => server.strike('black hole') },
      { what: 'compact', run: (server: FaultyServer) => server.compact() },
      { what: 'move', run: (server: FaultyServer) => server.accessChanged.next() },
      { what: 'down', run: (server: FaultyServer) => server.setUp(false) },
      { what: 'up', run: (server: FaultyServer) => server.setUp(true) },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 100, 5_000, 55_000).map((ms) => ({
      what: `wait ${ms}`,
      run: (_: FaultyServer, clock: FakeClock) => clock.advance(ms),
    })),
  },
);

const versions = (objects: Iterable<[string, KubeObject]>) =>
  new Map([...objects].map(([key, object]) => [key, object.metadata?.resourceVersion]));

it('equals the server in the end, and reported every difference, whatever happened on the way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ monitored: fc.boolean(), streams: fc.boolean() }),
      fc.array(step, { maxLength: 40, size: '+1' }),
      async (kind, steps) => {
        const clock = new FakeClock();
        const server = new FaultyServer(clock, kind);
        const client = {
          resource: () => expect.unreachable(),
          metadata: () => server,
          transport: { accessChanged: server.accessChanged },
        };
        const informers = createInformers({ client, clock, random: () => 0.5 });
        const cached = informers.metadata(things);
        const observed = new Map<string, KubeObject>();
        cached.changes.subscribe(({ type, key, object, previous }) => {
          expect(observed.get(key)).toEqual(previous);
          if (type === 'deleted') observed.delete(key);
          else observed.set(key, object);
        });
        for (const { run } of steps) await run(server, clock);
        server.setUp(true);
        // Longer than any back-off and any silence that is waited for.
        await clock.advance(400_000);
        expect(versions(cached.list().map((object) => [object.metadata?.name ?? '', object]))).toEqual(server.truth());
        expect(versions(observed)).toEqual(server.truth());
        expect(cached.lastError).toBeUndefined();
        informers.close();
        await clock.settle();
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
