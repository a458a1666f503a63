import { ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import type { DriverCondition } from '@flotilla/registration-core/contract';

const type = ManagedClusterAddOnCondition.TokenRefreshed;
const reasons = ManagedClusterAddOnReason.TokenRefreshed;

/** A new token is stored. */
export const refreshed = (expirationTimestamp: string): DriverCondition => ({
  type,
  status: 'True',
  reason: reasons.AddonTokenRefreshed,
  message: `Addon token refreshed, expires at ${expirationTimestamp}`,
});

/** There is no new token, and why. */
export const notRefreshed = (why: string): DriverCondition => ({
  type,
  status: 'False',
  reason: reasons.TokenCreationFailed,
  message: `Failed to create token: ${why}`,
});
