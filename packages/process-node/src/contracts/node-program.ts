import { dirname } from 'node:path';
import type { ContainerContext, Image } from './image.ts';

const mebibyte = 2 ** 20;
/** The rest of the limit is for code, buffers and threads, which the heap's limit does not count. */
const heapShare = 0.75;

/** How a Node program is run. */
export interface NodeProgramOptions {
  /** Arguments before those of the container, for example flags that bind it to the pod's address. */
  readonly args?: (context: ContainerContext) => readonly string[];
  readonly env?: (context: ContainerContext) => Readonly<Record<string, string>>;
}

/** An image that runs a script by this Node, its heap bounded by the container's memory limit. */
export const nodeProgram =
  (script: string, { args = () => [], env = () => ({}) }: NodeProgramOptions = {}): Image =>
  (context) => ({
    command: process.execPath,
    args: [...heapFlags(context.memoryLimit), script, ...args(context), ...context.command.slice(1), ...context.args],
    env: env(context),
    files: [process.execPath, dirname(script)],
  });

const heapFlags = (limit: number | undefined): string[] =>
  limit === undefined ? [] : [`--max-old-space-size=${Math.max(16, Math.floor((limit * heapShare) / mebibyte))}`];
