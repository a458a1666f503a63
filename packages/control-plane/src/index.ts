export type { ServiceReference, ServiceResolver } from './admission/index.ts';
export type { UserInfo } from './authn/index.ts';
export type { ControlPlane, ControlPlaneOptions } from './options.ts';
export type { SimulatedLatency, SimulatedNode } from './simulator/index.ts';
export { startControlPlane } from './start.ts';
