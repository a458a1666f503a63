import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyWidget, at, ownedBy, type Widget, widget, widgetManager, widgetType } from './testing/widget.ts';
import { fieldsOf } from './typed-fields.ts';

const word = fc.constantFrom('a', 'b', 'c');
// Nothing is empty: who applies an empty map owns it, and keeps it as null when the last field of another goes.
const map = fc.dictionary(word, word, { minKeys: 1 });
const tags = fc.uniqueArray(word, { minLength: 1 });
const ports = fc.uniqueArray(
  fc.record(
    { port: fc.constantFrom(1, 2, 3), protocol: fc.constantFrom('TCP', 'UDP'), name: word, tags },
    { requiredKeys: ['port', 'protocol'] },
  ),
  { minLength: 1, selector: ({ port, protocol }) => `${port}/${protocol}` },
);
const { free } = fc.letrec((tie) => ({
  free: fc.dictionary(word, fc.oneof({ maxDepth: 2 }, word, fc.array(word), tie('free')), { minKeys: 1 }),
}));
const specs = fc.record(
  {
    replicas: fc.nat(2),
    title: word,
    map,
    whole: fc.record({ a: word }, {}),
    nested: fc.record({ x: word, y: fc.record({ z: word }) }, { requiredKeys: ['x'] }),
    free,
    steps: fc.array(word),
    set: tags,
    ports,
  },
  { requiredKeys: [] },
);
const widgets = fc
  .tuple(specs, fc.option(map, { nil: undefined }))
  .filter(([spec]) => Object.keys(spec).length > 0)
  .map(([each, labels]) => widget(each, labels ? { labels } : {}));
const histories = fc.array(fc.tuple(fc.constantFrom('A', 'B', 'C'), widgets), { minLength: 1, maxLength: 4 });

/** The object after some managers applied, each with force. */
const after = (history: readonly (readonly [string, Widget])[]): Widget | undefined =>
  history.reduce<Widget | undefined>(
    (live, [manager, applied]) => applyWidget(manager, applied, live, { force: true }),
    undefined,
  );

const pathsOf = (object: Widget) => fieldsOf(widgetType, object);

describe('applyObject', () => {
  it('changes neither object nor managedFields when the same is applied again', () => {
    fc.assert(
      fc.property(histories, widgets, (history, applied) => {
        const once = applyWidget('A', applied, after(history), { force: true, second: 1 });
        expect(applyWidget('A', applied, once, { second: 2 })).toEqual(once);
      }),
    );
  });

  it('has every field of what was applied last', () => {
    fc.assert(
      fc.property(histories, widgets, (history, applied) => {
        const object = applyWidget('A', applied, after(history), { force: true });
        expect(pathsOf(applied).difference(pathsOf(object)).isEmpty).toBe(true);
      }),
    );
  });

  it('leaves what another applier owns when one applies nothing any more', () => {
    fc.assert(
      fc.property(widgets, widgets, (ofA, ofB) => {
        const alone = applyWidget('B', ofB);
        const left = applyWidget(
          'A',
          widget({}),
          after([
            ['A', ofA],
            ['B', ofB],
          ]),
          { force: true },
        );
        expect(pathsOf(alone).difference(pathsOf(left)).isEmpty).toBe(true);
        expect(ownedBy(left, 'B')).toEqual(ownedBy(alone, 'B'));
        expect(ownedBy(left, 'A')).toEqual({ 'f:spec': {} });
      }),
    );
  });

  it('takes away all that a lone applier applied', () => {
    fc.assert(
      fc.property(widgets, (applied) => {
        const { apiVersion, kind, metadata } = widget({});
        const left = applyWidget(
          'A',
          { apiVersion: apiVersion ?? '', kind: kind ?? '', metadata },
          applyWidget('A', applied),
        );
        expect(left).toEqual({ apiVersion, kind, metadata: { ...metadata, uid: 'u' } });
      }),
    );
  });

  it('does not depend on the order of appliers that agree', () => {
    fc.assert(
      fc.property(widgets, (applied) => {
        const there = after([
          ['A', applied],
          ['B', applied],
        ]);
        const back = after([
          ['B', applied],
          ['A', applied],
        ]);
        expect(there?.spec).toEqual(back?.spec);
        for (const manager of ['A', 'B'])
          expect(there && ownedBy(there, manager)).toEqual(back && ownedBy(back, manager));
      }),
    );
  });

  it('changes nothing that it is given', () => {
    fc.assert(
      fc.property(histories, widgets, (history, applied) => {
        const live = after(history);
        const before = structuredClone({ live, applied });
        applyWidget('A', applied, live, { force: true });
        expect({ live, applied }).toEqual(before);
      }),
    );
  });

  it('answers anything with an object or a refusal, whatever is applied, stored or said about owners', () => {
    const junk = fc.dictionary(fc.constantFrom('spec', 'metadata', 'status', 'kind', 'x'), fc.jsonValue());
    const fieldsV1 = fc.dictionary(
      fc.constantFrom('f:spec', 'f:a', 'k:{"port":1}', 'k:', 'v:"a"', 'v:', 'i:1', 'i:', 'z:', '.', ''),
      fc.dictionary(fc.constantFrom('f:map', '.', 'k:{}'), fc.constant({})),
    );
    const entry = fc.record(
      {
        manager: word,
        operation: fc.constantFrom('Apply', 'Update', 'x'),
        apiVersion: fc.constantFrom('test.example.com/v1', 'v9', ''),
        fieldsType: fc.constant('FieldsV1'),
        fieldsV1,
        time: fc.constantFrom('2026-01-01T00:00:00Z', 'x'),
      },
      { requiredKeys: ['operation', 'apiVersion', 'fieldsType'] },
    );
    fc.assert(
      fc.property(widgets, junk, fc.option(fc.array(entry), { nil: undefined }), (good, bad, managedFields) => {
        const live = {
          ...good,
          ...bad,
          metadata: { ...good.metadata, uid: 'u', ...(managedFields && { managedFields }) },
        };
        for (const run of [
          () => applyWidget('A', { ...good, ...bad }, live, { force: true }),
          () => applyWidget('A', good, live),
          () => widgetManager().update({ live, next: { ...good, ...bad }, manager: 'U', time: at(1) }),
        ]) {
          try {
            run();
          } catch (error) {
            expect(error).toBeInstanceOf(KubeError);
          }
        }
      }),
    );
  });
});
