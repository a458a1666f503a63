/** For tests of drivers and of what is built on the agent: a fleet in memory, and the suite that every driver must pass. */
/** The agent itself, so that specs of drivers need nothing else of the core. */
export { accessFiles, bindDriver, createAgent, type JoinedHub } from '../agent/index.ts';
export { startDrivers } from '../hub/index.ts';
export { addonDriverConformance, driverConformance } from './conformance/driver-conformance.ts';
export type { ConformanceCase, ConformanceOptions } from './conformance/suite.ts';
export {
  type RunningAgent,
  startTestFleet,
  type TestBootstrap,
  type TestBootstrapFlags,
  type TestFleet,
  type TestFleetOptions,
  type TestHubSide,
} from './test-fleet.ts';
export { type TestHub, testHub } from './test-hub.ts';
export {
  type Authenticate,
  certificateUser,
  type TestNetwork,
  type TestPlane,
  type TestUser,
  testNetwork,
} from './test-network.ts';
