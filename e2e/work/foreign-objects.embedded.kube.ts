import { readFile } from 'node:fs/promises';
import { realClock } from '@flotilla/kube';
import { pods } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer } from '../registration/servers.ts';
import { helloPod } from './manifests.ts';
import { startWorkWorld, type WorkWorld } from './work-world.ts';

const foreign = 10_000;
const atOnce = 32;
/** What a process keeps for itself after a burst, whatever the burst was. */
const slackMiB = 25;

let world: WorkWorld;
beforeAll(async () => {
  const server = await startServer('embedded');
  world = await startWorkWorld(server, server);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Of an agent that was restarted and has reconciled all works. */
async function memoryOfAgent(): Promise<number> {
  await using agent = world.startAgent();
  const work = await world.create(`reconciled-${realClock.now()}`, [helloPod(`reconciled-${realClock.now()}`)]);
  await world.synced(work);
  const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

it('ten thousand pods of others in a namespace with ours do not move the memory of the agent', async () => {
  // Several pods, so that the namespace is watched and not each by its name.
  const names = Array.from({ length: 30 }, (_, index) => `ours-${index}`);
  const agent = world.startAgent();
  await world.synced(
    await world.create(
      'ours',
      names.map((name) => helloPod(name)),
    ),
  );
  await agent.end();
  const before = await memoryOfAgent();

  const others = Array.from({ length: foreign }, (_, index) => `foreign-${index}`).values();
  const create = async () => {
    for (const name of others) {
      await world.managed.resource(pods).create({
        metadata: { namespace: 'default', name, labels: { app: name }, annotations: { note: 'x'.repeat(200) } },
        spec: { containers: [{ name: 'c', image: 'busybox' }] },
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, create));

  const after = await memoryOfAgent();
  expect(after).toBeLessThan(before + slackMiB);
}, 180_000);
