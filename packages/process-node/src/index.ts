export type {
  ContainerCommand,
  ContainerContext,
  ContainerMount,
  Image,
  Images,
} from './contracts/image.ts';
export { type NodeProgramOptions, nodeProgram } from './contracts/node-program.ts';
export type { ProcessNode, ProcessNodeOptions } from './options.ts';
export { startProcessNode } from './start-process-node.ts';
