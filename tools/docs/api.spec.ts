import { expect, it } from 'vitest';
import { sourcesOf } from './api.ts';

it('finds the sources of the entry points of a package', () => {
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './clock': { types: './dist/clock/index.d.ts', default: './dist/clock/index.js' },
    './package.json': './package.json',
  };
  expect(sourcesOf({ name: '@flotilla/kube', exports })).toEqual(['src/index.ts', 'src/clock/index.ts']);
});
