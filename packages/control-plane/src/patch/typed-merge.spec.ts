import { longestTurn } from '@flotilla/rules/testing';
import { expect, it } from 'vitest';
import { widget, widgetType } from './testing/widget.ts';
import { mergeTyped } from './typed-merge.ts';

/** Twice what it takes, and half of what it took when each item moved all others. */
const acceptableMs = 2500;

it('merges two long sets in another order in time that grows with their length', async () => {
  const set = Array.from({ length: 200_000 }, (_, index) => `item-${index}`);
  const live = widget({ set });
  const applied = widget({ set: set.toReversed() });
  expect(mergeTyped(widgetType, live, applied)).toEqual(applied);
  expect(await longestTurn(() => mergeTyped(widgetType, live, applied), 1)).toBeLessThan(acceptableMs);
});
