import { describe, expect, it } from 'vitest';
import { checkFeatureGates } from './feature-gates.ts';

describe('feature gates', () => {
  it.each<{ given: Record<string, string>; says: string }>([
    { given: { Nope: 'true' }, says: 'Nope is not known' },
    { given: { ClusterProperty: 'yes' }, says: 'ClusterProperty=yes is neither true nor false' },
  ])('are refused: $says', ({ given, says }) => {
    expect(() => checkFeatureGates(['spoke-registration'], given)).toThrow(says);
  });
});
