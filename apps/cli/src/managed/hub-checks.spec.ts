import { expect, it } from 'vitest';
import { checkClock } from './hub-checks.ts';

const minute = 60_000;

it.each([
  ['five minutes ahead', 5 * minute, undefined],
  ['five minutes behind', -5 * minute, undefined],
  ['six minutes ahead', 6 * minute, 'the clock of this machine is 360 s ahead of that of the hub'],
  ['six minutes behind', -6 * minute, 'the clock of this machine is 360 s behind that of the hub'],
])('a clock that is %s is accepted or not', (_, skewMs, message) => {
  const check = () => checkClock(1_000_000_000_000, 1_000_000_000_000 + skewMs);
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(message);
});
