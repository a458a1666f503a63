import { RE2JS } from 're2js';
import { expect, it, vi } from 'vitest';
import { compileRegex } from './regex.ts';
import { maxBytesOfStates } from './regex-cache.ts';

it('forgets the states of a pattern that has a new one for each character', () => {
  using compile = vi.spyOn(RE2JS, 'compile');
  const regex = compileRegex('[ab]*a[ab]{100}[xy]');
  const states = compile.mock.results[0]?.value.re2().dfa;
  let state = 1;
  const letters = Array.from({ length: 5000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 64 ? 'a' : 'b';
  });
  expect(regex.test(letters.join(''))).toBe(false);
  expect(states?.maxMem - states?.memBudget).toBeLessThan(maxBytesOfStates);
});
