import type { OptionValues } from '@flotilla/process';
import type { AgentOptions } from '../options/options.ts';
import type { agentFlags } from './flags.ts';

/** The options of an agent that its flags give. */
export const agentOptionsOf = (flags: OptionValues<typeof agentFlags>): Omit<AgentOptions, 'namespace'> => ({
  clusterName: flags.spokeClusterName || flags.clusterName,
  agentName: flags.agentId,
  hubKubeconfigSecret: flags.hubKubeconfigSecret,
  hubConnectionTimeoutSeconds: flags.hubConnectionTimeoutSeconds,
  spokeExternalServerUrls: flags.spokeExternalServerUrls,
  clusterHealthCheckPeriodMs: flags.clusterHealthcheckPeriod,
  maxCustomClusterClaims: flags.maxCustomClusterClaims,
  reservedClusterClaimSuffixes: flags.reservedClusterClaimSuffixes,
  reportClusterId: flags.reportClusterId,
  clusterAnnotations: flags.clusterAnnotations,
  clusterLabels: flags.clusterLabels,
  addonAuth: flags.addonKubeclientRegistrationAuth,
  featureGates: flags.featureGates,
});
