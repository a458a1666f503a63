import {
  defineOptions,
  featureGatesOption,
  gatesOf,
  kubeOptions,
  leaderElectionOptions,
  type OptionDefinitions,
} from '@flotilla/kube/process';
import { agentFlags } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { workFlags } from '@flotilla/work-agent';

/** The flags of `flotilla-singleton`: OCM's, and those of the drivers. */
export const singletonOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...driverOptions(drivers),
    ...kubeOptions,
    ...leaderElectionOptions,
    ...agentFlags,
    ...workFlags,
    featureGates: featureGatesOption(gatesOf('spoke-registration', 'spoke-work')),
  });

const driverOptions = (drivers: readonly Driver[]): OptionDefinitions =>
  Object.assign({}, ...drivers.map(({ options }) => options.agent));
