/** List and watch without a cache, for stores of another shape. Informers are what most programs want. */
export type { WatchEvent } from '../resources/resource-handle.ts';
export { reflect } from './reflect.ts';
export type { ReflectorEvent, ReflectorOptions } from './reflector.ts';
export { describeSelection, type Selection } from './selection.ts';
