import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';

/** What an add-on says about itself, a line for each condition. */
export const describeConditions = (addon: ManagedClusterAddOn): string =>
  [
    `  ${keyOf(addon)}`,
    ...(addon.status?.conditions ?? []).map(
      ({ type, status, reason, message }) => `    ${type}=${status} ${reason}: ${message}`,
    ),
  ].join('\n');
