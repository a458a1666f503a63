import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { dataTypes } from '../event/data-type.ts';
import { callLimits } from '../limits.ts';
import { createResyncRequest } from '../resync/resync-request.ts';
import { Broker } from './broker.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};
const mebibyte = 1024 * 1024;

/*
 * Goal: a member that asks for resyncs and never reads the answers makes the hub hold a name for each object, and not its requests. Method: each
 * request names 20,000 objects, of which one is in no other request, so that an answer to each request waits.
 */
it('keeps of resyncs only the names of the objects for a reader that reads nothing', async () => {
  const clock = new FakeClock();
  const service = { dataType: dataTypes.manifestBundles, list: () => [], handle: async () => {} };
  const broker = new Broker([service], { clock, maxQueued: 30_000 });
  const ended: unknown[] = [];
  broker.subscribe(dataTypes.manifestBundles, 'c', { write: () => false, onDrain() {}, end: (e) => ended.push(e) });
  const others = Array.from({ length: callLimits.maxKnownObjects - 1 }, (_, index) => `u${index}`);
  const resync = async (own: string) => {
    const known = new Map([own, ...others].map((id) => [id, 1n]));
    const origin = { source: 'c', now: clock.now() };
    await broker.publish(createResyncRequest(origin, dataTypes.manifestBundles, { clusterName: 'c', known }), {}, 'c');
  };
  await resync('first');
  const before = heapUsed();
  for (let index = 0; index < 20; index += 1) await resync(`own-${index}`);
  expect((heapUsed() - before) / mebibyte).toBeLessThan(10);
  expect(ended).toEqual([]);
});
