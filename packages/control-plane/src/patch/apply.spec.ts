import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyWidget, ownedBy, type Widget, widget, widgetType } from './testing/widget.ts';
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
});
