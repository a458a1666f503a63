import { type Logger, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { fullDisk } from '../../fixtures/full-disk.ts';
import { recordingLog } from '../../fixtures/recording-log.ts';
import { type Journal, noJournal } from '../storage/journal.ts';
import { createStorage } from '../storage/memory-storage.ts';
import { builtInResources } from './built-in.ts';
import { asDefinition, conditionOf, definitionStorage, markTerminating } from './definitions/definition.ts';
import { followDefinitions } from './definitions.ts';
import { createRegistry } from './registry.ts';

const definition = (plural: string, kind: string, spec: object = {}): KubeObject => {
  const object = {
    metadata: { name: `${plural}.example.com`, uid: plural },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true }],
      ...spec,
    },
  };
  return object;
};

function start(journal: Journal = noJournal, log: Logger = silentLogger) {
  const storage = createStorage(journal);
  const clock = new FakeClock();
  const registry = createRegistry(builtInResources());
  const put = (object: KubeObject) => storage.put(definitionStorage, object.metadata?.name ?? '', object);
  const stored = (name: string) => asDefinition(storage.get(definitionStorage, name) ?? {});
  const stop = followDefinitions({ storage, registry, clock, log });
  const serves = (plural: string) => registry.lookup('example.com', 'v1', plural);
  return { storage, registry, clock, put, stored, stop, serves };
}

const nextTask = () => Promise.resolve();

describe('followDefinitions', () => {
  it('logs a status that a full disk keeps from being written, and writes it when there is room', async () => {
    const disk = fullDisk();
    const log = recordingLog();
    const { put, stored, serves, clock, stop } = start(disk, log);
    put(definition('widgets', 'Widget'));
    disk.full = true;
    await nextTask();
    expect(log.errors).toEqual(['the status of a custom resource definition could not be written']);
    expect(serves('widgets')).toMatchObject({ kind: 'Widget' });
    expect(stored('widgets.example.com').status).toBeUndefined();
    disk.full = false;
    await clock.advance(5000);
    expect(conditionOf(stored('widgets.example.com'), 'Established')).toMatchObject({ status: 'True' });
    stop();
    expect(clock.pending).toBe(0);
  });

  it('serves a definition from the moment it is stored, and reports so right after', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    expect(serves('widgets')).toMatchObject({ kind: 'Widget' });
    expect(stored('widgets.example.com').status).toBeUndefined();
    await nextTask();
    const after = stored('widgets.example.com');
    expect(conditionOf(after, 'Established')).toMatchObject({ status: 'True', reason: 'InitialNamesAccepted' });
    expect(after.status).toMatchObject({ acceptedNames: { plural: 'widgets' }, storedVersions: ['v1'] });
  });

  it('subscribers receive a write before its status', async () => {
    const { storage, put } = start();
    const events: string[] = [];
    storage.subscribe(definitionStorage, ({ type }) => events.push(type));
    put(definition('widgets', 'Widget'));
    await nextTask();
    expect(events).toEqual(['ADDED', 'MODIFIED']);
  });

  it('serves what was stored before it began', () => {
    const storage = createStorage();
    storage.put(definitionStorage, 'widgets.example.com', definition('widgets', 'Widget'));
    const registry = createRegistry(builtInResources());
    followDefinitions({ storage, registry, clock: new FakeClock(), log: silentLogger });
    expect(registry.lookup('example.com', 'v1', 'widgets')).toBeDefined();
  });

  it('does not serve a kind whose name another holds, until that one is gone', async () => {
    const { storage, put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await nextTask();
    put(definition('gadgets', 'Widget'));
    await nextTask();
    expect(serves('gadgets')).toBeUndefined();
    expect(conditionOf(stored('gadgets.example.com'), 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'ListKindConflict',
      message: '"WidgetList" is already in use',
    });
    storage.delete(definitionStorage, 'widgets.example.com');
    expect(serves('widgets')).toBeUndefined();
    await nextTask();
    expect(conditionOf(stored('gadgets.example.com'), 'Established')).toMatchObject({ status: 'True' });
    expect(serves('gadgets')).toBeDefined();
  });

  it('keeps what was made for a resource when only metadata changes', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await nextTask();
    const before = serves('widgets');
    const now = stored('widgets.example.com');
    put({ ...now, metadata: { ...now.metadata, labels: { a: 'b' } } });
    expect(serves('widgets')).toBe(before);
  });

  it('serves no creates while all objects are being deleted', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await nextTask();
    put(markTerminating(stored('widgets.example.com'), '2026-01-01T00:00:00Z'));
    expect(serves('widgets')?.verbs).not.toContain('create');
    expect(serves('widgets')?.verbs).toContain('delete');
  });

  it('leaves the built-in kinds alone', () => {
    const { put, registry } = start();
    const names = { kind: 'Deployment', plural: 'deployments' };
    put({ ...definition('x', 'X', { group: 'apps', names }), metadata: { name: 'deployments.apps' } });
    expect(registry.lookup('apps', 'v1', 'deployments')).toMatchObject({ source: 'built-in' });
  });

  it('writes nothing after it was stopped', async () => {
    const { put, stored, stop } = start();
    put(definition('widgets', 'Widget'));
    stop();
    await nextTask();
    expect(stored('widgets.example.com').status).toBeUndefined();
  });
});
