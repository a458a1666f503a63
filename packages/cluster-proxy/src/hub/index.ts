/** The side of the hub: the aggregated API by which users reach clusters. */

export { defaultLimits, type RequestLimits } from '../limits.ts';
export { forwardingMember } from '../member/forwarding-member.ts';
export type { HubUser, Member, MemberAnswer, MemberConnection, MemberRequest } from '../member/member.ts';
export type { ServingSource } from './follow-certificate.ts';
export { type ExternalAddress, publishExternally } from './publish-externally.ts';
export { type RunClusterProxyInput, runClusterProxy } from './run-cluster-proxy.ts';
