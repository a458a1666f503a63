import { appliedManifestWorks, manifestWorks } from '@flotilla/api-types';
import { createInformers, type Informer } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { filter, lastValueFrom, map, merge, type Observable, take } from 'rxjs';
import { expect, it } from 'vitest';
import { configMap } from './manifests.ts';
import { onEachServer } from './suite.ts';
import type { WorkWorld } from './work-world.ts';

const manifests = 4;
/** What happens while a work is applied or taken away, seen from outside: events on both servers. */
const mostEvents = 2 * manifests + 6;

onEachServer((world) => {
  it('an agent that is killed at any step of applying and of deleting leaves the right objects and no orphan', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(mostEvents), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(mostEvents), { minLength: 1, maxLength: 3 }),
        async (killsWhileApplying, killsWhileDeleting) => {
          const name = `killed-${round++}`;
          const names = Array.from({ length: manifests }, (_, index) => `${name}-${index}`);
          const { create, synced, remove, gone, managed } = world();
          await killed(world(), killsWhileApplying, async () => {
            const work = await create(
              name,
              names.map((each) => configMap(each, { name: each })),
            );
            return async () => void (await synced(work));
          });
          const { items } = await managed.resource(configMaps).list({ namespace: 'default' });
          const applied = items.filter(({ metadata }) => metadata?.name?.startsWith(`${name}-`));
          expect(applied.map(({ metadata }) => metadata?.name).sort()).toEqual(names);
          expect(applied.every(({ metadata }) => metadata?.ownerReferences?.length === 1)).toBe(true);

          await killed(world(), killsWhileDeleting, async () => {
            await remove(name);
            return () => gone(name);
          });
          const left = (await managed.resource(configMaps).list({ namespace: 'default' })).items;
          expect(left.filter(({ metadata }) => metadata?.name?.startsWith(`${name}-`))).toEqual([]);
          expect((await managed.resource(appliedManifestWorks).list()).items).toEqual([]);
        },
      ),
      { numRuns: 5, endOnFailure: true },
    );
  }, 240_000);
});

/** Does something while agents are killed, each after so many events, and waits for its end with one that lives. */
async function killed(
  { hub, managed, startAgent }: WorkWorld,
  kills: readonly number[],
  begin: () => Promise<() => Promise<void>>,
): Promise<void> {
  using hubInformers = createInformers({ client: hub });
  using managedInformers = createInformers({ client: managed });
  const happened = async <T extends KubeObject>(cache: Informer<T>) => {
    await cache.whenSynced();
    return cache.changes.pipe(
      filter(({ initial }) => !initial),
      map(() => undefined),
    );
  };
  const events = merge(
    await happened(hubInformers.resource(manifestWorks)),
    await happened(managedInformers.resource(configMaps)),
    await happened(managedInformers.resource(appliedManifestWorks)),
  );

  let agent = startAgent();
  let next = after(events, kills[0] ?? 0);
  const end = await begin();
  const done = end();
  for (const index of kills.keys()) {
    // It may be over before there were so many.
    await Promise.race([done, next]);
    await agent.end('SIGKILL');
    next = after(events, kills[index + 1] ?? 0);
    agent = startAgent();
  }
  await done;
  await agent.end();
}

/** When so many events have come. */
const after = async (events: Observable<unknown>, count: number): Promise<void> => {
  if (count > 0) await lastValueFrom(events.pipe(take(count)), { defaultValue: undefined });
};
