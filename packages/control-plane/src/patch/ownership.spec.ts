import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it } from 'vitest';
import {
  at,
  ownedBy,
  ownerNames,
  owners,
  spelledTime,
  stored,
  type Widget,
  widget,
  widgetManager,
} from './testing/widget.ts';

describe('ownership after an update', () => {
  const create = (spec: object) => stored(widgetManager().update({ next: widget(spec), manager: 'A', time: at(0) }));
  const update = (live: Widget, next: Widget, by = 'B', second = 1) =>
    widgetManager().update({ live, next, manager: by, time: at(second) });

  it('gives a created object to its creator, with the maps and lists in it', () => {
    expect(ownedBy(create({ map: { x: '1' }, ports: [{ port: 1 }] }), 'A')).toEqual({
      'f:spec': {
        '.': {},
        'f:map': { '.': {}, 'f:x': {} },
        'f:ports': { '.': {}, 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
      },
    });
  });

  it('gives changed fields to the updater and takes them from the others', () => {
    const live = create({ replicas: 1, title: 't' });
    const updated = update(live, { ...live, spec: { replicas: 2 } });
    expect(owners(updated).map(({ manager, time, fieldsV1 }) => [manager, time, fieldsV1])).toEqual([
      ['A', spelledTime(0), { 'f:spec': {} }],
      ['B', spelledTime(1), { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('leaves times alone when nothing changes', () => {
    const live = create({ replicas: 1 });
    expect(update(live, live)).toEqual(live);
  });

  it('adds to the entry of an updater that comes again', () => {
    const live = create({ replicas: 1 });
    const again = update(live, { ...live, spec: { replicas: 1, title: 't' } }, 'A', 3);
    expect(owners(again)).toMatchObject([
      { manager: 'A', time: spelledTime(3), fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:title': {} } } },
    ]);
  });

  it('forgets all managers when it is sent an empty list of them', () => {
    const live = create({ replicas: 1 });
    for (const managedFields of [[], [{}]]) {
      const reset = update(live, { ...live, metadata: { ...live.metadata, managedFields } });
      expect(reset.metadata).not.toHaveProperty('managedFields');
      expect(update(stored(reset), { ...reset, spec: { replicas: 2 } }).metadata).not.toHaveProperty('managedFields');
    }
  });

  it('keeps the live managers when it is sent none or broken ones', () => {
    const live = create({ replicas: 1 });
    const { managedFields: _, ...metadata } = live.metadata ?? {};
    expect(owners(update(live, { ...live, metadata }))).toEqual(owners(live));
    expect(
      owners(update(live, { ...live, metadata: { ...metadata, managedFields: [{ manager: 'x', operation: 'Bad' }] } })),
    ).toEqual(owners(live));
  });

  it('throws the oldest updaters together when there are more than ten', () => {
    let object = create({ map: {} });
    for (let n = 1; n <= 12; n++) {
      const map = Object.fromEntries(Array.from({ length: n }, (_, index) => [`k${index}`, 'v']));
      object = stored(update(object, { ...object, spec: { map } }, `m${n}`, n));
    }
    expect(ownerNames(object)).toHaveLength(10);
    expect(ownerNames(object)[0]).toBe('ancient-changes Update');
    expect(ownedBy(object, 'ancient-changes')).toEqual({
      'f:spec': { '.': {}, 'f:map': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
    });
  });

  it('does not hold up the event loop for an object with thousands of updaters, of which a client may send any number', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `k${index}`);
    const mapOf = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
    const live = create({ map: mapOf('v') });
    const managedFields = names.map((name) => ({
      manager: name,
      operation: 'Update' as const,
      apiVersion: live.apiVersion ?? '',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:map': { [`f:${name}`]: {} } } },
      time: spelledTime(0),
    }));
    const next = { ...live, metadata: { ...live.metadata, managedFields }, spec: { map: { ...mapOf('v'), k1: 'w' } } };
    expect(ownerNames(update(live, next))).toHaveLength(10);
    expect(await longestTurn(() => update(live, next))).toBeLessThan(3 * acceptableMs);
  });

  it('gives the status to the status endpoint only', () => {
    const live = create({ replicas: 1 });
    const next = { ...live, spec: { replicas: 9 }, status: { phase: 'Up' } };
    expect(owners(widgetManager('status').update({ live, next, manager: 'S', time: at(2) }))).toMatchObject([
      { manager: 'A' },
      { manager: 'S', subresource: 'status', fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } } },
    ]);
    expect(ownedBy(update(live, { ...live, status: { phase: 'Up' } }), 'B')).toBeUndefined();
  });
});
