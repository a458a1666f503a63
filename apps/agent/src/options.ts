import { defineOptions, kubeOptions, leaderElectionOptions } from '@flotilla/kube/process';
import { workAgentFlags } from '@flotilla/work-agent';

/** The flags of `flotilla-agent work`: OCM's. */
export const workOptions = defineOptions({ ...kubeOptions, ...leaderElectionOptions, ...workAgentFlags });
