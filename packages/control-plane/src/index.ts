export type { UserInfo } from './authn/index.ts';
export type { ControlPlane, ControlPlaneOptions } from './options.ts';
export { startControlPlane } from './start.ts';
