import { featureGateChoices } from '@flotilla/api-types';
import { defineOptions, featureGatesOption, kubeOptions, leaderElectionOptions } from '@flotilla/process';
import { registrationFlags } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { workAgentFlags, workFlags } from '@flotilla/work-agent';

/** The flags of a work agent alone: OCM's. */
export const workOptions = defineOptions({ ...kubeOptions, ...leaderElectionOptions, ...workAgentFlags });

/** The flags of all parts of an agent in one process: OCM's, and those of the drivers. */
export const singletonOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...registrationFlags(drivers),
    ...workFlags,
    workloadSourceConfig: {
      type: 'string',
      group: 'Work',
      deprecated: 'works come from the hub that the cluster has joined',
      description: 'Ignored; accepted because deployments of OCM may have it.',
    },
    featureGates: featureGatesOption(featureGateChoices('spoke-registration', 'spoke-work')),
  });
