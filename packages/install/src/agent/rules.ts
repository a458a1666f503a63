/** What agents may do: the rules that their roles are made of. */

export { impersonationRules } from '@flotilla/cluster-proxy/api';
export {
  addonRules,
  identityRules,
  leaderElectionRules,
  metricsRules,
  statusRules,
} from './registration-rules.ts';
export { executionRules, workRules } from './work-rules.ts';
