import { describe, expect, it } from 'vitest';
import { covers, selectionsFor } from './scope.policy.ts';

describe('what is watched', () => {
  it.each([
    ['one object by its name', ['ns/a'], [{ namespace: 'ns', fieldSelector: 'metadata.name=a' }]],
    ['several objects of a namespace together', ['ns/a', 'ns/b', 'ns/c'], [{ namespace: 'ns' }]],
    [
      'few namespaces apart',
      ['n1/a', 'n2/b'],
      [
        { namespace: 'n1', fieldSelector: 'metadata.name=a' },
        { namespace: 'n2', fieldSelector: 'metadata.name=b' },
      ],
    ],
    ['many namespaces together', ['n1/a', 'n2/a', 'n3/a', 'n4/a', 'n5/a'], [{}]],
    [
      'a few objects without namespace by their names',
      ['a', 'b'],
      [{ fieldSelector: 'metadata.name=a' }, { fieldSelector: 'metadata.name=b' }],
    ],
    ['many objects without namespace together', ['a', 'b', 'c'], [{}]],
    ['nothing', [], []],
  ])('%s', (_, keys, expected) => {
    const selections = selectionsFor(keys);
    expect(selections).toEqual(expected);
    for (const key of keys) expect(selections.some((selection) => covers(selection, key))).toBe(true);
  });

  it('does not cover other names and namespaces', () => {
    expect(covers({ namespace: 'ns' }, 'other/a')).toBe(false);
    expect(covers({ namespace: 'ns', fieldSelector: 'metadata.name=a' }, 'ns/b')).toBe(false);
    expect(covers({}, 'ns/b')).toBe(true);
  });
});
