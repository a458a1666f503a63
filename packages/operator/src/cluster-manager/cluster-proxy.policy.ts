import { isIP } from 'node:net';
import type { ClusterManagerSpec } from '@flotilla/api-types';
import type { OperatedHub } from '@flotilla/install';
import { isGateOn } from './feature-gates.policy.ts';

/** `usage` of the endpoint at which a hosted hub reaches its cluster proxy. */
export const clusterProxyUsage = 'cluster-proxy';

/** The endpoint for the cluster proxy that a ClusterManager names, and where it stands in the spec. */
export function clusterProxyEndpoint({ serverConfiguration }: ClusterManagerSpec) {
  const exposed = serverConfiguration?.endpointsExposure ?? [];
  const at = exposed.findIndex(({ protocol, usage }) => protocol === 'https' && usage === clusterProxyUsage);
  const { https } = exposed[at] ?? {};
  const host = https?.[https.type]?.host;
  return { field: `spec.serverConfiguration.endpointsExposure[${at}].https.${https?.type}.host`, host };
}

/** The cluster proxy of a hub. On the cluster that runs its pods it needs no address; a hosted hub must be given one. */
export function clusterProxyOf(spec: ClusterManagerSpec): OperatedHub['clusterProxy'] {
  if (!isGateOn(spec, 'Server', 'ClusterProxy')) return undefined;
  const { host } = clusterProxyEndpoint(spec);
  if (spec.deployOption?.mode !== 'Hosted' || !host) return {};
  // Of an IPv6 address no part is a port.
  const [, address = host, port = '443'] = isIP(host) === 6 ? [] : (/^(.*):(\d{1,5})$/.exec(host) ?? []);
  return { external: { address, port: Number(port) } };
}
