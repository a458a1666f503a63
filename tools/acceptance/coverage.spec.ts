import { describe, expect, it } from 'vitest';
import type { Citation } from './cited-cases.ts';
import { coverageOf, expand, type Specification } from './coverage.ts';

const specification: Specification = {
  title: 'Works',
  sections: [
    { id: '18.A', title: 'Apply', cases: '1-3' },
    { id: '18.B', title: 'Order', cases: '4' },
    { id: '', title: 'Weaknesses', prefix: 'W' },
  ],
  notes: { '2': 'differs on purpose' },
  notCovered: { '3-4': 'not there yet' },
};

const cites = (...references: string[]): Citation[] =>
  references.map((reference) => ({ specification: 'work', reference, file: 'a.spec.ts', title: 'applies' }));

const errors = (references: string[], changes: Partial<Specification> = {}) =>
  coverageOf('work', { ...specification, ...changes }, cites(...references)).errors;

describe('the cases of a specification', () => {
  it('are proven, or have a reason', () => {
    const { sections, errors: found } = coverageOf('work', specification, cites('18.A-1', '2', 'W12', 'W3'));
    expect(found).toEqual([]);
    expect(
      sections.map(({ cases }) =>
        cases.map(({ number, tests, note, notCovered }) => [number, tests.length, note ?? notCovered]),
      ),
    ).toEqual([
      [
        ['1', 1, undefined],
        ['2', 1, 'differs on purpose'],
        ['3', 0, 'not there yet'],
      ],
      [['4', 0, 'not there yet']],
      [
        ['W3', 1, undefined],
        ['W12', 1, undefined],
      ],
    ]);
  });

  it.each<[string, string[], Partial<Specification>, string]>([
    ['a case without test and reason', ['1'], {}, 'no test names [work 2], and specifications.json does not say why'],
    [
      'a test of a case in another section',
      ['1', '2', '18.B-3'],
      {},
      'a.spec.ts names [work 18.B-3], which does not exist',
    ],
    ['a test of a case beyond the last', ['1', '2', '9'], {}, 'a.spec.ts names [work 9], which does not exist'],
    ['a reason for what is proven', ['1', '2', '3', '4'], {}, 'notCovered of work names 3-4, which tests prove'],
    ['a note on an unknown case', ['1', '2'], { notes: { '9': 'x' } }, 'notes of work names 9, which does not exist'],
  ])('are refused with %s', (_, references, changes, error) => {
    expect(errors(references, changes)).toEqual([error]);
  });

  it('keep a reason for a range of which tests prove a part', () => {
    expect(errors(['1', '2', '3'])).toEqual([]);
  });
});

describe('a list of cases', () => {
  it.each([
    ['1-3, 7', ['1', '2', '3', '7']],
    ['A09-A11', ['A09', 'A10', 'A11']],
    ['W3', ['W3']],
  ])('%s', (list, numbers) => {
    expect(expand(list)).toEqual(numbers);
  });

  it('is refused when it is not one', () => {
    expect(() => expand('1 to 3')).toThrow('"1 to 3" is not a number or a range such as 1-3');
  });
});
