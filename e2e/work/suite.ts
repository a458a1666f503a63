import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { serverKinds, startServer } from '../registration/servers.ts';
import { startWorkWorld, type WorkTransport, type WorkWorld } from './work-world.ts';

/** Over gRPC on the embedded server only: what an agent does with a work is the same whichever API server is behind. */
const places = serverKinds.flatMap((kind): (readonly [string, typeof kind, WorkTransport])[] => [
  [`on ${kind}`, kind, 'kube'],
  ...(kind === 'embedded' ? [['over gRPC [grpc-cloudevents 26.7-68]', kind, 'grpc'] as const] : []),
]);

/**
 * Runs a suite on embedded and on real servers. The hub manages itself, as hubs may: one server is up in half the time of
 * two. `join.kube.ts` and `outage.kube.ts` have two.
 */
export function onEachServer(suite: (world: () => WorkWorld) => void): void {
  describe.each(places)('%s', (_, kind, transport) => {
    let world: WorkWorld | undefined;
    let isWrong = false;
    beforeAll(async () => {
      const server = await startServer(kind);
      world = await startWorkWorld(server, server, transport);
    });
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(world?.logs());
      await world?.[Symbol.asyncDispose]();
    });
    suite(() => {
      if (!world) throw new Error('the servers did not start');
      return world;
    });
  });
}
