import { expect, it } from 'vitest';
import { licenceErrors, licenceTable } from './licences.ts';

const component = (name: string, id?: string) => ({
  name,
  version: '1.0.0',
  ...(id !== undefined && { licenses: [{ license: { id } }] }),
});

it('names packages without a licence, or with one that is not allowed', () => {
  const expression = { ...component('c'), licenses: [{ expression: '(GPL-3.0 OR MIT)' }] };
  expect(licenceErrors([component('a', 'MIT'), component('b'), expression, component('d', 'GPL-3.0')])).toEqual([
    'b@1.0.0: no licence',
    'd@1.0.0: GPL-3.0',
  ]);
});

it('lists packages by name', () => {
  expect(licenceTable([component('b', 'ISC'), component('a', 'MIT')])).toContain(
    '| a | 1.0.0 | MIT |\n| b | 1.0.0 | ISC |',
  );
});
