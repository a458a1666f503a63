import { expect, it } from 'vitest';
import { labelsText, selectorText } from './label-text.ts';

it('shows labels in order, and that there are none', () => {
  expect(labelsText({ b: '2', a: '1' })).toBe('a=1,b=2');
  expect(labelsText({})).toBe('<none>');
  expect(labelsText(undefined)).toBe('<none>');
});

it('shows all requirements of a selector by their keys', () => {
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'b', operator: 'In', values: ['y', 'x'] },
      { key: 'c', operator: 'NotIn', values: ['q'] },
      { key: 'd', operator: 'Exists' },
      { key: 'a', operator: 'DoesNotExist' },
    ],
  };
  expect(selectorText(selector)).toBe('!a,app=web,b in (x,y),c notin (q),d');
  expect(selectorText({})).toBe('');
});
