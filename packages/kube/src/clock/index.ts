/** The clock alone, for programs that start before they know what they need. */
export type { Clock } from './clock.ts';
export { realClock } from './real-clock.ts';
