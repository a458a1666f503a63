import { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import type { Entry } from './entries.ts';
import { readSnapshot, writeSnapshot } from './store.ts';

const entries: Entry[] = [['/registry/clusterroles/admin', 'azhz']];
const setUp = () => ({ root: join(mkdtempSync(join(tmpdir(), 'envtest-spec-')), 'snapshots'), clock: new FakeClock() });

test('what was written is read, and is for its owner only', async () => {
  const { root, clock } = setUp();
  expect(await readSnapshot(root, 'a', clock)).toBeUndefined();
  await writeSnapshot(root, 'a', entries);
  expect(await readSnapshot(root, 'a', clock)).toEqual(entries);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o600);
});

test.each([
  ['that ends early', (text: string) => text.slice(0, -1)],
  ['with another byte', (text: string) => text.replace('admin', 'Admin')],
  ['without content', () => ''],
])('a snapshot %s does not count, and is replaced', async (_what, damage) => {
  const { root, clock } = setUp();
  await writeSnapshot(root, 'a', entries);
  writeFileSync(join(root, 'a'), damage(readFileSync(join(root, 'a'), 'utf8')));
  expect(await readSnapshot(root, 'a', clock)).toBeUndefined();
  await writeSnapshot(root, 'a', entries);
  expect(await readSnapshot(root, 'a', clock)).toEqual(entries);
});

test('of many, the one that was not used for longest is removed', async () => {
  const { root, clock } = setUp();
  const names = Array.from({ length: 20 }, (_, index) => `snapshot-${index}`);
  for (const [index, name] of names.entries()) {
    await writeSnapshot(root, name, entries);
    utimesSync(join(root, name), index, index);
  }
  await readSnapshot(root, 'snapshot-0', clock);
  await writeSnapshot(root, 'new', entries);
  const left = readdirSync(root);
  expect([...names, 'new'].filter((name) => !left.includes(name))).toEqual(['snapshot-1']);
});
