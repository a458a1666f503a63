import { KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { widgetDefinition } from '../../../fixtures/widget-definition.ts';
import type { ResourceInfo, TableColumn } from '../../contracts/resource-info.ts';
import { builtInResources } from '../../schema/built-in.ts';
import { customResources } from '../../schema/custom.ts';
import { createTableMaker } from './table.ts';

const toTable = createTableMaker(new FakeClock('2026-01-01T01:00:00Z'));
const options = { includeObject: 'Metadata', metadata: { resourceVersion: '7' }, withColumns: true };

function builtIn(storage: string): ResourceInfo {
  const info = builtInResources().find((candidate) => candidate.storage === storage);
  if (!info) throw new Error(`${storage} is not built in`);
  return info;
}

function widgets(): ResourceInfo {
  const [info] = customResources(widgetDefinition);
  if (!info) throw new Error('the definition serves nothing');
  return info;
}

const withColumn = (column: TableColumn): ResourceInfo => ({
  ...widgets(),
  columns: [...widgets().columns.slice(0, 1), column],
});

interface Row {
  cells: unknown[];
  object: unknown;
}

const rowsOf = (table: object): Row[] => (table as { rows: Row[] }).rows;
const cellOf = (info: ResourceInfo, object: KubeObject): unknown =>
  rowsOf(toTable(info, [object], options))[0]?.cells[1];

const widget: KubeObject & { spec: object; status: object } = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { replicas: 3 },
  status: {
    conditions: [
      { type: 'Other', status: 'x' },
      { type: 'Ready', status: 'True' },
    ],
    reason: 'Fine',
  },
};

describe('a table', () => {
  it('has the columns of a custom resource, with the path as description where there is none', () => {
    const table = toTable(widgets(), [widget], options);
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '7' } });
    expect((table as { columnDefinitions: object[] }).columnDefinitions.slice(1)).toEqual([
      { name: 'Size', type: 'integer', format: '', description: 'How many.', priority: 0 },
      {
        name: 'Ready',
        type: 'string',
        format: '',
        description:
          'Custom resource definition column (in JSONPath format): .status.conditions[?(@.type=="Ready")].status',
        priority: 0,
      },
      expect.objectContaining({ name: 'Reason', priority: 1 }),
      expect.objectContaining({ name: 'Age', type: 'date' }),
    ]);
  });

  it('has one row for each object, with ages by the server’s clock', () => {
    const bare = { metadata: { name: 'b', creationTimestamp: '2026-01-01T00:59:00Z' } };
    expect(rowsOf(toTable(widgets(), [widget, bare], options)).map(({ cells }) => cells)).toEqual([
      ['a', 3, 'True', 'Fine', '60m'],
      ['b', null, null, null, '60s'],
    ]);
  });

  it.each([
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: widget.metadata }],
    ['', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: widget.metadata }],
    ['Object', widget],
    ['None', null],
  ])('carries with includeObject=%s what the client asked for', (includeObject, object) => {
    expect(rowsOf(toTable(widgets(), [widget], { ...options, includeObject }))[0]?.object).toEqual(object);
  });

  it('is refused with an includeObject that is none', () => {
    expect(() => toTable(widgets(), [], { ...options, includeObject: 'Foo' })).toThrow(
      expect.toSatisfy((error: unknown) => KubeError.is(error, 'BadRequest')),
    );
  });

  it('is refused for a review, which has no columns', () => {
    const [review] = builtInResources().filter(({ plural }) => plural === 'tokenreviews');
    expect(review && (() => toTable(review, [], options))).toThrow(
      expect.toSatisfy((error: unknown) => KubeError.is(error, 'NotAcceptable')),
    );
  });

  it('has its columns only in the first event of a watch', () => {
    expect(toTable(widgets(), [widget], { ...options, withColumns: false })).toMatchObject({ columnDefinitions: null });
  });

  it('ends before the first column whose path cannot be read, as on the real server', () => {
    const info = withColumn({ name: 'Bad', type: 'string', jsonPath: '.spec["x"]' });
    const table = toTable(info, [widget], options) as { columnDefinitions: object[] };
    expect(table.columnDefinitions).toHaveLength(1);
    expect(rowsOf(table)[0]?.cells).toEqual(['a']);
  });

  it('shows the name and the time of creation of a kind that has no cells of its own', () => {
    const role = { metadata: { name: 'r', creationTimestamp: '2026-01-01T00:00:00Z' } };
    expect(rowsOf(toTable(builtIn('rbac.authorization.k8s.io/roles'), [role], options))[0]?.cells).toEqual([
      'r',
      '2026-01-01T00:00:00Z',
    ]);
  });

  it('has as many cells as columns for every built-in kind, even for an object that is empty, as bookmarks are', () => {
    for (const info of builtInResources().filter(({ columns }) => columns.length > 0)) {
      const [row] = rowsOf(toTable(info, [{ metadata: { resourceVersion: '1' } }], options));
      expect(row?.cells, info.storage).toHaveLength(info.columns.length);
    }
  });
});

describe('the cell of a custom column', () => {
  const cases: readonly [why: string, type: string, value: unknown, cell: unknown][] = [
    ['is the text', 'string', 'x', 'x'],
    ['shows a number as text', 'string', 3, '3'],
    ['shows a small number as Go does', 'string', 1e-7, '1e-07'],
    ['shows a boolean as text', 'string', true, 'true'],
    ['shows an object as JSON with ordered and escaped text', 'string', { z: '<', a: [1] }, '{"a":[1],"z":"\\u003c"}'],
    ['shows that a text is null', 'string', null, '<no value>'],
    ['is the whole part of a number', 'integer', 2.7, 2],
    ['is empty for a text where a number belongs', 'integer', '12', null],
    ['is a number', 'number', 1.5, 1.5],
    ['is a boolean', 'boolean', false, false],
    ['is empty for a number where a boolean belongs', 'boolean', 1, null],
    ['is the time since a date', 'date', '2026-01-01T00:00:00+00:00', '60m'],
    ['is the time since a date with fractions', 'date', '2026-01-01T00:00:00.500Z', '59m'],
    ['shows a date that is none', 'date', '2026-01-01', '<invalid>'],
    ['shows an empty date', 'date', '', '<unknown>'],
    ['is empty for an unknown type', 'other', 'x', null],
  ];
  it.each(cases)('%s', (_, type, value, cell) => {
    const info = withColumn({ name: 'C', type, jsonPath: '.spec.value' });
    expect(cellOf(info, { ...widget, spec: { value } } as KubeObject)).toEqual(cell);
  });

  it('is empty where the path does not fit the object', () => {
    const info = withColumn({ name: 'C', type: 'string', jsonPath: '.spec.value[3]' });
    expect(cellOf(info, { ...widget, spec: { value: [1] } } as KubeObject)).toBeNull();
  });
});
