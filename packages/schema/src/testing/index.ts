export { arbitraryObject, arbitraryValue } from './arbitrary-object.ts';
export { type Breakage, breakField, breakObject } from './break-object.ts';
export { disturbObject } from './disturb-object.ts';
export { createRandom, type Random } from './random.ts';
