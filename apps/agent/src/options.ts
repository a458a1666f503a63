import { defineOptions, kubeOptions, leaderElectionOptions, type OptionDefinitions } from '@flotilla/kube/process';
import { agentFlags } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { workAgentFlags } from '@flotilla/work-agent';

/** The flags of `flotilla-agent registration`: OCM's, and those of the drivers. */
export const registrationOptions = (drivers: readonly Driver[]) =>
  defineOptions({ ...driverOptions(drivers), ...kubeOptions, ...leaderElectionOptions, ...agentFlags });

/** The flags of `flotilla-agent work`: OCM's. */
export const workOptions = defineOptions({ ...kubeOptions, ...leaderElectionOptions, ...workAgentFlags });

const driverOptions = (drivers: readonly Driver[]): OptionDefinitions =>
  Object.assign({}, ...drivers.map(({ options }) => options.agent));
