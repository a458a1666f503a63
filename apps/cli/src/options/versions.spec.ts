import { expect, it } from 'vitest';
import { compareVersions, isVersion, tagOf } from './versions.ts';

it.each([
  ['1.2.0', 'v1.2.0', 0],
  ['1.2.0', '1.10.0', -1],
  ['v2.0.0', '1.9.9', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0-rc.10', '1.0.0-rc.9', 1],
])('%s is compared with %s', (one, other, expected) => {
  expect(Math.sign(compareVersions(one, other))).toBe(expected);
});

it('takes versions apart from other tags', () => {
  expect(['1.2.3', 'v1.2.3-rc.1', 'latest', '1.2'].map(isVersion)).toEqual([true, true, false, false]);
  expect(tagOf('registry:5000/flotilla/hub:v1.2.3')).toBe('v1.2.3');
  expect(tagOf('registry:5000/flotilla/hub')).toBeUndefined();
});
