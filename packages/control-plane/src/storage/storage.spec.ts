import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { KubeError, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../fixtures/recording-log.ts';
import type { Change } from '../contracts/storage.ts';
import { compactRegularly } from './compaction.ts';
import { noJournal } from './journal.ts';
import { createStorage } from './memory-storage.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

const configMap = (name: string, data = 'x'): KubeObject & { data: { value: string } } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { value: data },
});
const maps = '/configmaps';

describe('a storage in memory', () => {
  test('counts one revision over all resources', () => {
    const storage = createStorage();
    const first = storage.put(maps, 'default/a', configMap('a'));
    const second = storage.put('/secrets', 'default/a', configMap('a'));
    expect(Number(second.metadata?.resourceVersion)).toBe(Number(first.metadata?.resourceVersion) + 1);
    expect(storage.revision).toBe(Number(second.metadata?.resourceVersion));
  });

  test('lists a namespace without its neighbours whose names start alike', () => {
    const storage = createStorage();
    for (const key of ['team-a/x', 'team/b', 'team/a', 'team0/x', 'tea/m']) storage.put(maps, key, configMap(key));
    expect(storage.list(maps, 'team').map((object) => object.metadata?.name)).toEqual(['team/a', 'team/b']);
  });

  test('gives a deletion a revision of its own and the last state', () => {
    const storage = createStorage();
    storage.put(maps, 'default/a', configMap('a'));
    const last = storage.delete(maps, 'default/a');
    expect(last.metadata?.resourceVersion).toBe(String(storage.revision));
    expect(storage.get(maps, 'default/a')).toBeUndefined();
  });

  test('notifies subscribers of each commit once, after it can be read', () => {
    const storage = createStorage();
    const seen: [string, unknown][] = [];
    const stop = storage.subscribe(maps, ({ type, key }) => seen.push([type, storage.get(maps, key)?.metadata?.name]));
    storage.put(maps, 'default/a', configMap('a'));
    storage.put(maps, 'default/a', configMap('a', 'y'));
    storage.delete(maps, 'default/a');
    stop();
    storage.put(maps, 'default/b', configMap('b'));
    expect(seen).toEqual([
      ['ADDED', 'a'],
      ['MODIFIED', 'a'],
      ['DELETED', undefined],
    ]);
  });

  test('keeps a write and reports it to the other listeners if one of them throws, which is logged', () => {
    const log = recordingLog();
    const storage = createStorage(noJournal, log);
    const seen: string[] = [];
    storage.subscribe(maps, () => {
      throw new Error('broken');
    });
    storage.subscribe(maps, ({ key }) => seen.push(key));
    storage.put(maps, 'default/a', configMap('a'));
    expect(seen).toEqual(['default/a']);
    expect(storage.get(maps, 'default/a')).toBeDefined();
    expect(log.errors).toEqual(['a listener of the storage failed']);
  });

  test('refuses to read from before a compaction and says how far it went', () => {
    const storage = createStorage();
    storage.put(maps, 'default/a', configMap('a'));
    const old = storage.revision;
    storage.put(maps, 'default/b', configMap('b'));
    storage.compact(storage.revision);
    expect(() => storage.changesSince(maps, old)).toThrow(`too old resource version: ${old} (${storage.revision})`);
    expect(storage.changesSince(maps, storage.revision)).toEqual([]);
    expect(() => storage.listAt(maps, old)).toThrow(KubeError);
  });

  test('drops the oldest changes of the resource that changes most when its history has too many bytes', () => {
    const storage = createStorage(noJournal, silentLogger, { maxHistoryBytes: 100_000 });
    storage.put('/secrets', 'default/a', configMap('a'));
    const before = storage.revision;
    for (let count = 0; count < 20; count++) storage.put(maps, 'default/a', configMap('a', 'x'.repeat(10_000)));
    expect(() => storage.changesSince(maps, before)).toThrow('too old resource version');
    const kept = storage.changesSince(maps, storage.compactedRevision(maps));
    expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100_000);
    expect(kept.at(-1)?.revision).toBe(storage.revision);
    expect(storage.changesSince('/secrets', before)).toEqual([]);
  });

  test('keeps at least one interval of history when compacted regularly', async () => {
    const clock = new FakeClock();
    const storage = createStorage();
    const stop = compactRegularly(storage, clock, 1000);
    await clock.advance(900);
    storage.put(maps, 'default/a', configMap('a'));
    const mark = storage.revision;
    storage.put(maps, 'default/b', configMap('b'));
    await clock.advance(200);
    expect(storage.changesSince(maps, mark)).toHaveLength(1);
    await clock.advance(1000);
    expect(() => storage.changesSince(maps, mark)).toThrow('too old');
    stop();
  });

  const write = fc.record({
    key: fc.constantFrom('a/1', 'a/2', 'b/1', 'b/2', 'c'),
    delete: fc.boolean(),
  });
  test('history replayed over an old list gives the new list, and a past list can be read again', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), fc.nat(40), (writes, cut) => {
        const storage = createStorage();
        const past: { revision: number; names: string[] }[] = [];
        writes.forEach((step, index) => {
          if (step.delete && storage.get(maps, step.key)) storage.delete(maps, step.key);
          else storage.put(maps, step.key, configMap(step.key, String(index)));
          past.push({ revision: storage.revision, names: describeList(storage.list(maps)) });
        });
        for (const { revision, names } of past) expect(describeList(storage.listAt(maps, revision))).toEqual(names);
        const from = past[cut % Math.max(1, past.length)];
        if (!from) return;
        const replayed = new Map(
          storage.listAt(maps, from.revision).map((object) => [object.metadata?.name ?? '', object]),
        );
        for (const change of storage.changesSince(maps, from.revision)) replay(replayed, change);
        expect(describeList([...replayed.values()]).sort()).toEqual(describeList(storage.list(maps)).sort());
      }),
    );
  });
});

const describeList = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`);

const replay = (objects: Map<string, KubeObject>, change: Change): void => {
  if (change.type === 'DELETED') objects.delete(change.key);
  else objects.set(change.key, change.object);
};

describe('a storage in a SQLite file', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'flotilla-storage-'));
    file = join(directory, 'data', 'state.db');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('finds its objects and revision again, and makes the file private', () => {
    const before = createStorage(openSqliteJournal({ file }));
    before.put(maps, 'default/a', configMap('a'));
    before.put(maps, 'default/b', configMap('b'));
    before.delete(maps, 'default/a');
    const listed = before.list(maps);
    before.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const after = createStorage(openSqliteJournal({ file }));
    expect(after.list(maps)).toEqual(listed);
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(after.changesSince(maps, after.revision)).toEqual([]);
    after.close();
  });

  /** What a disk holds after a power cut at this moment, without what was only in memory. */
  const afterPowerCut = (files: readonly string[]): string => {
    const cut = join(directory, 'cut');
    mkdirSync(cut);
    for (const name of files) copyFileSync(join(directory, 'data', name), join(cut, name));
    return join(cut, 'state.db');
  };

  test('never continues in another history for a client that saw writes which a power cut lost', () => {
    const before = createStorage(openSqliteJournal({ file }));
    before.put(maps, 'default/a', configMap('a'));
    const restored = afterPowerCut(['state.db', 'state.db-wal']);
    before.put(maps, 'default/lost', configMap('lost'));
    const seen = before.revision;
    before.close();

    const after = createStorage(openSqliteJournal({ file: restored }));
    for (const name of ['b', 'c', 'd']) after.put(maps, `default/${name}`, configMap(name));
    expect(after.get(maps, 'default/lost')).toBeUndefined();
    expect(() => after.changesSince(maps, seen)).toThrow(`too old resource version: ${seen}`);
    after.close();
  });

  test('does not go back behind its revision if a power cut loses all writes since it was opened', () => {
    createStorage(openSqliteJournal({ file })).close();
    const before = createStorage(openSqliteJournal({ file }));
    for (const name of ['a', 'b', 'c']) before.put(maps, `default/${name}`, configMap(name));
    const restored = afterPowerCut(['state.db']);
    before.close();

    const after = createStorage(openSqliteJournal({ file: restored }));
    expect(after.list(maps)).toEqual([]);
    expect(after.revision).toBeGreaterThan(before.revision);
    after.close();
  });

  test('is refused to a second opener, with the way out', () => {
    const first = openSqliteJournal({ file });
    expect(() => openSqliteJournal({ file })).toThrow(`${file} is in use by another control plane`);
    first.close();
    openSqliteJournal({ file }).close();
  });

  test('loses no acknowledged write when its process is killed in a storm of writes', async () => {
    const writer = new URL('../../fixtures/write-storm.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');

    const journal = openSqliteJournal({ file });
    const { records } = journal.load();
    journal.close();
    expect(acknowledged).toBeGreaterThanOrEqual(500);
    expect(records.length).toBeGreaterThanOrEqual(acknowledged);
  });
});
