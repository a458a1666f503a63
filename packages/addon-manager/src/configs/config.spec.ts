import { describe, expect, it } from 'vitest';
import { type DesiredConfig, desiredConfigsOf, isSameConfig, mergedConfigs, namedConfigs } from './config.ts';

const config = (resource: string, name: string, group = 'g'): DesiredConfig => ({
  group,
  resource,
  namespace: '',
  name,
  specHash: '',
});

describe('layers of configurations', () => {
  it('replace a kind as a whole, and inherit those that they do not mention', () => {
    const inherited = [config('a', 'a1'), config('b', 'b1')];
    expect(mergedConfigs(inherited, [config('b', 'b3'), config('b', 'b2')]).map(({ name }) => name)).toEqual([
      'a1',
      'b3',
      'b2',
    ]);
  });

  it('are sorted by group, then by resource, whatever their layer', () => {
    const merged = mergedConfigs([config('z', '1', 'a'), config('a', '2', 'b')], [config('m', '3', 'a')]);
    expect(merged.map(({ name }) => name)).toEqual(['3', '1', '2']);
  });

  it('[addons 36] name each configuration once, where it is first', () => {
    const named = namedConfigs([
      { group: 'g', resource: 'a', name: 'x' },
      { group: 'g', resource: 'a', name: 'y' },
      { group: 'g', resource: 'a', name: 'x', namespace: '' },
      { group: 'g', resource: 'a', name: 'x', namespace: 'other' },
    ]);
    expect(named.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['/x', '/y', 'other/x']);
  });

  it('tolerate references without a desired configuration, as older clients write them', () => {
    expect(desiredConfigsOf([{ resource: 'a' }])).toEqual([]);
    expect(isSameConfig(undefined, undefined)).toBe(false);
    expect(isSameConfig({ name: 'x' }, { name: 'x', namespace: '', specHash: '' })).toBe(true);
  });
});
