import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives back to the machine what the start of this process needed and the rest of its life does not: V8 would keep it for
 * a load that may never come. For processes of our own; a library has no business with the memory of its host.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: (options: object) => void = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
