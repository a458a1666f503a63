// Kinds: types and where they are served. Their schemas and CustomResourceDefinitions are in `./kinds`,
// apart from here, so that a program that needs only types and names does not load the schema library.

export { type ConfigKind, kindKeyOf, overrideConfigs, scopedConfig } from './add-on-configs.ts';
export { type AddOnIdentity, type RegisteredIdentity, registeredIdentity } from './add-on-identity.ts';
export { AddOnRole } from './add-on-roles.ts';
export { ClusterProxyApi, clusterProxyPath, tunnelPath } from './cluster-proxy.ts';
export { hubHashOf } from './hub-hash.ts';
export type * from './kinds/types.ts';
export { isReadinessReported, type ManifestReadiness, readinessOfManifest } from './manifest-readiness.ts';
// Names: labels, annotations, finalizers, conditions, reasons
export * from './names/index.ts';
export * from './resources.ts';
