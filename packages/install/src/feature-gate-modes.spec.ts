import { describe, expect, it } from 'vitest';
import { featureGateModes } from './feature-gate-modes.ts';

describe('feature gates', () => {
  it('are written to a Klusterlet with those that are on by default [cli A05]', () => {
    expect(featureGateModes('spoke-registration', { MultipleHubs: true })).toEqual(
      expect.arrayContaining([
        { feature: 'AddonManagement', mode: 'Enable' },
        { feature: 'ClusterClaim', mode: 'Enable' },
        { feature: 'MultipleHubs', mode: 'Enable' },
      ]),
    );
    expect(featureGateModes('spoke-registration', {})).toHaveLength(2);
  });

  it('are written as off only if they are on by default [cli A04]', () => {
    expect(featureGateModes('hub-addon', { AddonManagement: false })).toEqual([
      { feature: 'AddonManagement', mode: 'Disable' },
    ]);
    expect(featureGateModes('spoke-registration', { MultipleHubs: false })).toHaveLength(2);
  });
});
