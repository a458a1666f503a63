import { describe, expect, it } from 'vitest';
import { sourcesOf, undocumentedIn } from './api.ts';

it('finds the sources of the entry points of a package', () => {
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './clock': { types: './dist/clock/index.d.ts', default: './dist/clock/index.js' },
    './package.json': './package.json',
  };
  expect(sourcesOf({ name: '@flotilla/kube', exports })).toEqual(['src/index.ts', 'src/clock/index.ts']);
});

describe('an export without a comment', () => {
  const warning = (name: string) =>
    `\x1b[93m[warning]\x1b[0m ${name} (CallSignature), defined in @flotilla/kube/src/a.ts, does not have any documentation\n`;

  it.each([
    ['of one entry point', false, ['apply', 'Store.get'], ['apply']],
    ['of several entry points', true, ['clock.after', 'clock.Clock.now'], ['clock.after']],
  ])('is found among members: %s', (_, several, names, expected) => {
    expect(undocumentedIn(names.map(warning).join(''), several)).toEqual(expected);
  });
});
