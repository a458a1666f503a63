export type * from './agent-driver.ts';
export { type Driver, defineDriver } from './driver.ts';
export type * from './hub-driver.ts';
export { clusterIdentityAnnotation, identityUniqueCondition, sharedIdentityAnnotation } from './identity.ts';
export { isNote, notePrefix } from './notes.ts';
export { forcedRemovalAnnotation, isRemovalForced } from './removal.ts';
