/** The side of a managed cluster: what an agent runs so that users of the hub reach its API. */
export { forwardingMember } from '../member/forwarding-member.ts';
export { passedExtras } from '../member/impersonation.policy.ts';
export { type RunTunnelInput, runTunnel } from './run-tunnel.ts';
