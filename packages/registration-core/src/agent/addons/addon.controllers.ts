import { managedClusterAddOns } from '@flotilla/api-types';
import type { Controller } from '@flotilla/kube';
import { addonHealthController } from './health.controller.ts';
import { type AddonRegistrationOptions, addonRegistrationController } from './registration.controller.ts';
import { addonSweepController } from './sweep.controller.ts';

/** What an agent does for the add-ons of its cluster. */
export function addonControllers(options: Omit<AddonRegistrationOptions, 'addons'>): Controller[] {
  const addons = options.informers.resource(managedClusterAddOns, { namespace: options.identity.clusterName });
  return [
    addonRegistrationController({ ...options, addons }),
    addonSweepController({ ...options, addons }),
    addonHealthController({ ...options, addons }),
  ];
}
