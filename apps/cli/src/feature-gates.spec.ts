import { describe, expect, it } from 'vitest';
import { checkFeatureGates, gateModes } from './feature-gates.ts';

describe('feature gates', () => {
  it('are written to a Klusterlet with those that are on by default [cli A05]', () => {
    expect(gateModes('spoke-registration', { MultipleHubs: true })).toEqual(
      expect.arrayContaining([
        { feature: 'AddonManagement', mode: 'Enable' },
        { feature: 'ClusterClaim', mode: 'Enable' },
        { feature: 'MultipleHubs', mode: 'Enable' },
      ]),
    );
    expect(gateModes('spoke-registration', {})).toHaveLength(2);
  });

  it('are written as off only if they are on by default [cli A04]', () => {
    expect(gateModes('hub-addon', { AddonManagement: false })).toEqual([
      { feature: 'AddonManagement', mode: 'Disable' },
    ]);
    expect(gateModes('spoke-registration', { MultipleHubs: false })).toHaveLength(2);
  });

  it.each<{ given: Record<string, string>; says: string }>([
    { given: { Nope: 'true' }, says: 'Nope is not known' },
    { given: { ClusterProperty: 'yes' }, says: 'ClusterProperty=yes is neither true nor false' },
  ])('are refused: $says', ({ given, says }) => {
    expect(() => checkFeatureGates('spoke-registration', given)).toThrow(says);
  });
});
