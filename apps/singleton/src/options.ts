import { defineOptions, featureGatesOption, gatesOf } from '@flotilla/kube/process';
import { registrationFlags } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { workFlags } from '@flotilla/work-agent';

/** The flags of `flotilla-singleton`: OCM's, and those of the drivers. */
export const singletonOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...registrationFlags(drivers),
    ...workFlags,
    featureGates: featureGatesOption(gatesOf('spoke-registration', 'spoke-work')),
  });
