import { setFlagsFromString } from 'node:v8';

/**
 * Our processes wait for most of their lives, on machines that they share. V8 prepares for a load that lasts: after a burst
 * it keeps a young generation of up to 48 MiB and a heap with room to grow, for ever. These keep both close to what is in use,
 * for a little more work of the collector.
 */
export function favourSmallMemory(): void {
  setFlagsFromString('--optimize-for-size');
  // The largest young generation is settled when V8 starts, but not that it grows.
  setFlagsFromString('--semi-space-growth-factor=1');
}
