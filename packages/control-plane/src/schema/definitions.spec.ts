import type { KubeObject } from '@flotilla/api-types';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
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

function start() {
  const storage = createStorage();
  const registry = createRegistry(builtInResources());
  const put = (object: KubeObject) => storage.put(definitionStorage, object.metadata?.name ?? '', object);
  const stored = (name: string) => asDefinition(storage.get(definitionStorage, name) ?? {});
  const stop = followDefinitions({ storage, registry, clock: new FakeClock() });
  const serves = (plural: string) => registry.lookup('example.com', 'v1', plural);
  return { storage, registry, put, stored, stop, serves };
}

const settled = () => Promise.resolve();

describe('followDefinitions', () => {
  it('serves a definition from the moment it is stored, and tells so right after', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    expect(serves('widgets')).toMatchObject({ kind: 'Widget' });
    expect(stored('widgets.example.com').status).toBeUndefined();
    await settled();
    const after = stored('widgets.example.com');
    expect(conditionOf(after, 'Established')).toMatchObject({ status: 'True', reason: 'InitialNamesAccepted' });
    expect(after.status).toMatchObject({ acceptedNames: { plural: 'widgets' }, storedVersions: ['v1'] });
  });

  it('others hear of a write before they hear of its status', async () => {
    const { storage, put } = start();
    const heard: string[] = [];
    storage.subscribe(definitionStorage, ({ type }) => heard.push(type));
    put(definition('widgets', 'Widget'));
    await settled();
    expect(heard).toEqual(['ADDED', 'MODIFIED']);
  });

  it('serves what was stored before it began', () => {
    const storage = createStorage();
    storage.put(definitionStorage, 'widgets.example.com', definition('widgets', 'Widget'));
    const registry = createRegistry(builtInResources());
    followDefinitions({ storage, registry, clock: new FakeClock() });
    expect(registry.lookup('example.com', 'v1', 'widgets')).toBeDefined();
  });

  it('does not serve a kind whose name another holds, until that one is gone', async () => {
    const { storage, put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await settled();
    put(definition('gadgets', 'Widget'));
    await settled();
    expect(serves('gadgets')).toBeUndefined();
    expect(conditionOf(stored('gadgets.example.com'), 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'ListKindConflict',
      message: '"WidgetList" is already in use',
    });
    storage.delete(definitionStorage, 'widgets.example.com');
    expect(serves('widgets')).toBeUndefined();
    await settled();
    expect(conditionOf(stored('gadgets.example.com'), 'Established')).toMatchObject({ status: 'True' });
    expect(serves('gadgets')).toBeDefined();
  });

  it('keeps what was made for a resource when only metadata changes', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await settled();
    const before = serves('widgets');
    const now = stored('widgets.example.com');
    put({ ...now, metadata: { ...now.metadata, labels: { a: 'b' } } });
    expect(serves('widgets')).toBe(before);
  });

  it('lets nothing new in while everything is being deleted', async () => {
    const { put, stored, serves } = start();
    put(definition('widgets', 'Widget'));
    await settled();
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
    await settled();
    expect(stored('widgets.example.com').status).toBeUndefined();
  });
});
