export type * from './addon-driver.ts';
export type * from './agent-driver.ts';
export { authTypeAnnotation, declaredAuthType } from './auth-type.ts';
export { acceptedAuthAnnotation, createdByHubAnnotation, isCreatedByHub } from './cluster-namespace.ts';
export * from './credentials.ts';
export { type ClusterDriver, type Driver, defineDriver } from './driver.ts';
export { driverOptions } from './driver-options.ts';
export type { DriverSecret } from './driver-secret.ts';
export type * from './hub-connection.ts';
export type * from './hub-driver.ts';
export type { HubEndpoint } from './hub-endpoint.ts';
export type { HubInfo } from './hub-info.ts';
export { type HubOffer, isDenied } from './hub-offer.ts';
export { clusterIdentityAnnotation, identityUniqueCondition, sharedIdentityAnnotation } from './identity.ts';
export {
  type JoinToken,
  type JoinTokenRecord,
  joinTokenKey,
  joinTokenRecord,
  joinTokenRole,
  joinTokenUser,
  readJoinToken,
} from './join-token.ts';
export { isRebootstrapAllowed, rebootstrapAllowedAnnotation } from './rebootstrap.ts';
export { forcedRemovalAnnotation, foreignFinalizers, isRemovalForced } from './removal.ts';
export { requireFlags } from './required-flags.ts';
export {
  clusterNameCondition,
  isReservedClusterName,
  reservedNameError,
  reservedNameHint,
  reservedNamePattern,
} from './reserved-names.ts';
