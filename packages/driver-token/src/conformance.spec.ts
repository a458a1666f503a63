import { addonDriverConformance } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { tokenFleet } from './fixtures/fleet.ts';

const cases = addonDriverConformance(tokenFleet);

describe('the token driver, as every driver of add-ons,', () => {
  it('has something to show', () => {
    expect(cases.length).toBeGreaterThan(1);
  });

  for (const { name, run } of cases) it(name, run);
});
