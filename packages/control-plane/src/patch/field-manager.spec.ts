import { KubeError } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import {
  applyWidget,
  at,
  ownedBy,
  ownerNames,
  owners,
  spelledTime,
  stored,
  widget,
  widgetManager,
  widgetVersion,
} from './testing/widget.ts';

function refusal(run: () => unknown): KubeError {
  try {
    run();
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('apply', () => {
  it('creates an object whose applier owns what it applied and nothing that identifies the object', () => {
    const object = applyWidget('A', widget({ replicas: 1, map: { x: '1' } }, { labels: { l: 'm' } }));
    expect(owners(object)).toEqual([
      {
        manager: 'A',
        operation: 'Apply',
        apiVersion: widgetVersion,
        time: spelledTime(0),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:l': {} } },
          'f:spec': { 'f:map': { 'f:x': {} }, 'f:replicas': {} },
        },
      },
    ]);
  });

  it('removes a field that its only owner applies no more', () => {
    const first = applyWidget('A', widget({ replicas: 1, title: 't' }));
    expect(applyWidget('A', widget({ replicas: 1 }), first).spec).toEqual({ replicas: 1 });
  });

  it('keeps a field that another manager owns as well', () => {
    const first = applyWidget('A', widget({ replicas: 1, title: 't' }));
    const both = applyWidget('B', widget({ title: 't' }), first);
    const left = applyWidget('A', widget({ replicas: 1 }), both);
    expect(left.spec).toEqual({ replicas: 1, title: 't' });
    expect(ownedBy(left, 'A')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('lets two managers own the same value without a time for the one that changed nothing', () => {
    const both = applyWidget('B', widget({ title: 't' }), applyWidget('A', widget({ title: 't' })), { second: 5 });
    expect(owners(both).map((entry) => [entry.manager, entry.time])).toEqual([
      ['B', undefined],
      ['A', spelledTime(0)],
    ]);
  });

  it('refuses to change what another manager owns, naming the field', () => {
    const live = applyWidget('A', widget({ replicas: 1 }));
    expect(refusal(() => applyWidget('B', widget({ replicas: 2 }), live)).apiStatus).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "A": .spec.replicas',
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "A"', field: '.spec.replicas' }] },
      code: 409,
    });
  });

  it('lists several conflicts by manager', () => {
    const created = stored(
      widgetManager().update({
        next: widget({ replicas: 1, ports: [{ port: 1, name: 'a' }] }),
        manager: 'A',
        time: at(0),
      }),
    );
    const live = applyWidget('B', widget({ title: 't' }), created);
    const error = refusal(() =>
      applyWidget('C', widget({ replicas: 2, title: 'u', ports: [{ port: 1, protocol: 'TCP', name: 'b' }] }), live),
    );
    expect(error.apiStatus?.message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "A" using test.example.com/v1:',
        '- .spec.replicas',
        '- .spec.ports[port=1,protocol="TCP"].name',
        'conflicts with "B":',
        '- .spec.title',
      ].join('\n'),
    );
  });

  it('takes the field with force', () => {
    const taken = applyWidget('B', widget({ replicas: 2 }), applyWidget('A', widget({ replicas: 1, title: 't' })), {
      force: true,
      second: 7,
    });
    expect(taken.spec).toEqual({ replicas: 2, title: 't' });
    expect(ownedBy(taken, 'A')).toEqual({ 'f:spec': { 'f:title': {} } });
    expect(owners(taken).map((entry) => entry.time)).toEqual([spelledTime(0), spelledTime(7)]);
  });

  it('changes nothing the second time', () => {
    const first = applyWidget('A', widget({ replicas: 1, ports: [{ port: 1 }], map: {} }));
    expect(applyWidget('A', widget({ replicas: 1, ports: [{ port: 1 }], map: {} }), first, { second: 9 })).toEqual(
      first,
    );
  });

  it('merges list items by their keys, the default of a key included', () => {
    const live = applyWidget(
      'A',
      widget({
        ports: [
          { port: 1, protocol: 'TCP' },
          { port: 1, protocol: 'UDP' },
        ],
      }),
    );
    const named = applyWidget('B', widget({ ports: [{ port: 1, name: 'x' }] }), live);
    expect(named.spec).toEqual({
      ports: [
        { port: 1, protocol: 'TCP', name: 'x' },
        { port: 1, protocol: 'UDP' },
      ],
    });
  });

  it('owns atomic lists and maps as a whole', () => {
    const live = applyWidget('A', widget({ steps: ['1'], whole: { a: 'b' } }));
    expect(ownedBy(live, 'A')).toEqual({ 'f:spec': { 'f:steps': {}, 'f:whole': {} } });
    expect(refusal(() => applyWidget('B', widget({ steps: ['1', '2'] }), live)).code).toBe('Conflict');
  });

  it('gives what was there before the first apply to before-first-apply', () => {
    const live = stored(widget({ replicas: 1 }));
    expect(ownerNames(applyWidget('A', widget({ title: 't' }), live))).toEqual([
      'A Apply',
      'before-first-apply Update',
    ]);
    expect(refusal(() => applyWidget('A', widget({ replicas: 2 }), live)).apiStatus?.message).toContain(
      '"before-first-apply"',
    );
  });

  it('forgets managers of versions that are no longer served', () => {
    const live = applyWidget('A', widget({ replicas: 1 }));
    const renamed = owners(live).map((entry) => ({ ...entry, apiVersion: 'test.example.com/v1alpha1' }));
    const taken = applyWidget('B', widget({ replicas: 2 }), {
      ...live,
      metadata: { ...live.metadata, managedFields: renamed },
    });
    expect(ownerNames(taken)).toEqual(['B Apply']);
  });

  it('carries sets over between served versions', () => {
    const versions = ['test.example.com/v1beta1', widgetVersion];
    const live = applyWidget('A', widget({ replicas: 1, title: 't' }));
    const beta = owners(live).map((entry) => ({ ...entry, apiVersion: 'test.example.com/v1beta1' }));
    const applied = widgetManager(undefined, versions).apply({
      live: { ...live, metadata: { ...live.metadata, managedFields: beta } },
      applied: widget({ title: 't' }),
      manager: 'A',
      force: false,
      time: at(1),
    });
    expect(applied).toMatchObject({
      spec: { title: 't' },
      metadata: { managedFields: [{ apiVersion: widgetVersion }] },
    });
    expect(applied).not.toHaveProperty('spec.replicas');
  });

  it.each<[string, object, number, string]>([
    ['managedFields', widget({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    ['another kind', { ...widget({}), kind: 'Gadget' }, 400, 'invalid object type: test.example.com/v1, Kind=Gadget'],
    ['no version', { kind: 'Widget' }, 400, 'invalid object type: /, Kind=Widget'],
    [
      'an unknown field',
      widget({ none: 1 }),
      500,
      'failed to create typed patch object (/w; test.example.com/v1, Kind=Widget): .spec.none: field not declared in schema',
    ],
    [
      'a value of another type',
      widget({ replicas: 'x' }),
      500,
      'failed to create typed patch object (/w; test.example.com/v1, Kind=Widget): .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      'duplicate items',
      widget({ ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }),
      500,
      'failed to create typed patch object (/w; test.example.com/v1, Kind=Widget): .spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'an item that is not an object',
      widget({ ports: [1] }),
      500,
      'failed to create typed patch object (/w; test.example.com/v1, Kind=Widget): .spec.ports: element 0: associative list with keys may not have non-map elements',
    ],
  ])('refuses an applied object with %s', (_, applied, code, message) => {
    const run = () => widgetManager().apply({ applied, manager: 'A', force: true, time: at(0) });
    expect(refusal(run).apiStatus).toMatchObject({ code, message });
  });
});
