export type { AuthenticateToken, UserInfo } from './contracts/user-info.ts';
export type { ServiceReference, ServiceResolver } from './contracts/webhook-caller.ts';
export type { ControlPlane, ControlPlaneOptions } from './options.ts';
export type { SimulatedLatency, SimulatedNode } from './simulator/index.ts';
export { startControlPlane } from './start.ts';
