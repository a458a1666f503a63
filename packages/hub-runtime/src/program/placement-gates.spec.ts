import { expect, it } from 'vitest';
import { placementGatesOf } from './placement-gates.ts';

it('switches on the gates that are named, and refuses others', () => {
  expect(placementGatesOf([])).toEqual({});
  expect(placementGatesOf(['Spread', 'StablePaging'])).toEqual({ spread: true, stablePaging: true });
  expect(() => placementGatesOf(['Sprad'])).toThrow('--placement-gates names "Sprad", which does not exist');
});
