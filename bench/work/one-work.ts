import { configMap } from './manifests.ts';
import { timed, type Works } from './works.ts';

/** In each round. */
const samples = 100;
/** Both are faster after the first ones: caches, and code that is compiled while it runs. */
const warmUp = 30;

/** Latencies of one work with one config map, observed on the hub. */
export interface OneWork {
  readonly creates: readonly number[];
  readonly updates: readonly number[];
}

/** Creates works one after the other, then changes each. */
export async function measureOneWork(works: Works, round: number): Promise<OneWork> {
  const names = Array.from({ length: samples }, (_, index) => `one-${round}-${index}`);
  for (let index = 0; index < warmUp; index++) {
    const name = `warm-up-${round}-${index}`;
    await works.applied(await works.create(name, [configMap(name, 'first')]));
    await works.applied(await works.setManifests(name, [configMap(name, 'second')]));
  }
  const creates: number[] = [];
  const updates: number[] = [];
  for (const name of names) {
    creates.push(await timed(async () => works.applied(await works.create(name, [configMap(name, 'first')]))));
  }
  for (const name of names) {
    updates.push(await timed(async () => works.applied(await works.setManifests(name, [configMap(name, 'second')]))));
  }
  return { creates, updates };
}
