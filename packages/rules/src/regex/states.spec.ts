import { RE2JS } from 're2js';
import { expect, it, vi } from 'vitest';
import { compileRegex } from './regex.ts';

it('forgets patterns when those that were matched since then have a new state for each character', () => {
  let state = 1;
  const letters = Array.from({ length: 5000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 64 ? 'a' : 'b';
  });
  const text = letters.join('');
  using compile = vi.spyOn(RE2JS, 'compile');
  // Each has some 3 MB of states.
  const regexOf = (index: number) => compileRegex(`[ab]*a[ab]{100}[xy]${'z?'.repeat(index)}`);
  for (let index = 0; index < 30; index += 1) regexOf(index).test(text);
  regexOf(29);
  expect(compile).toHaveBeenCalledTimes(30);
  regexOf(0);
  expect(compile).toHaveBeenCalledTimes(31);
});
