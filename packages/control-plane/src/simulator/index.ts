export type { SimulatedLatency } from './context.ts';
export type { SimulatedNode } from './nodes/node.status.ts';
export { type SimulatorOptions, startSimulator } from './start-simulator.ts';
