export { arbitraryObject, arbitraryValue } from './arbitrary-object.ts';
export { type Breakage, breakObject } from './break-object.ts';
export { createRandom, type Random } from './random.ts';
