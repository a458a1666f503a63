import { describe, expect, it } from 'vitest';
import { iamTags, missingTags, parseResourceTags } from './resource-tags.ts';

describe('the tags of resources', () => {
  it('[registration-hub 19.5-71] are read from key=value', () => {
    expect(parseResourceTags(['a=1', 'b='])).toEqual({ a: '1', b: '' });
    expect(iamTags({ a: '1' })).toEqual([{ Key: 'a', Value: '1' }]);
  });

  it.each(['kv', 'a=b=c', ''])('[registration-hub 19.5-71] refuse "%s" at the start, with the entry', (entry) => {
    expect(() => parseResourceTags([entry])).toThrow(
      expect.objectContaining({
        code: 'Config',
        message: expect.stringContaining(`missing value from tag: "${entry}"`),
      }),
    );
  });

  it('are written only where they are missing or have another value', () => {
    expect(missingTags({ a: '1', b: '2' }, { a: '1', b: '3', foreign: 'x' })).toEqual({ b: '2' });
    expect(missingTags({ a: '1' }, { a: '1', foreign: 'x' })).toBeUndefined();
  });
});
