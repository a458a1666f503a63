import type { KubeObject, OwnerReference, ResourceType } from '@flotilla/schema';
import type { AddOnDeploymentConfig } from '../kinds/addon/add-on-deployment-config.ts';
import type { AddOnDeploymentConfigV1alpha1 } from '../kinds/addon/add-on-deployment-config.v1alpha1.ts';
import type { ManagedClusterAddOn } from '../kinds/addon/managed-cluster-add-on.ts';
import type { ManagedClusterAddOnV1alpha1 } from '../kinds/addon/managed-cluster-add-on.v1alpha1.ts';
import {
  addOnDeploymentConfigs,
  addOnDeploymentConfigsV1alpha1,
  clusterManagementAddOns,
  clusterManagementAddOnsV1alpha1,
  managedClusterAddOns,
  managedClusterAddOnsV1alpha1,
} from '../resources.ts';
import { toClusterManagementAddOn, toClusterManagementAddOnV1alpha1 } from './cluster-management-add-on.ts';
import { toManagedClusterAddOn, toManagedClusterAddOnV1alpha1 } from './managed-cluster-add-on.ts';

export {
  toClusterManagementAddOn,
  toClusterManagementAddOnV1alpha1,
  toManagedClusterAddOn,
  toManagedClusterAddOnV1alpha1,
};

const apiVersionOf = ({ group, version }: ResourceType): string => `${group}/${version}`;

/** An object whose owner of a kind is named in another version: garbage collection finds owners only in versions that are served. */
function withOwnerVersion<T extends KubeObject>(object: T, from: ResourceType, to: ResourceType): T {
  const isOld = ({ kind, apiVersion }: OwnerReference) => kind === from.kind && apiVersion === apiVersionOf(from);
  const owners = object.metadata?.ownerReferences;
  if (!owners?.some(isOld)) return object;
  const ownerReferences = owners.map((owner) => (isOld(owner) ? { ...owner, apiVersion: apiVersionOf(to) } : owner));
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/**
 * ManagedClusterAddOns for clients of servers that serve v1alpha1 only, as every OCM hub before v1.3 does. There the ClusterManagementAddOn that owns
 * one is served in v1alpha1 too.
 */
export const managedClusterAddOnVersions = {
  type: managedClusterAddOns,
  served: managedClusterAddOnsV1alpha1,
  fromServed: (object: ManagedClusterAddOnV1alpha1): ManagedClusterAddOn =>
    withOwnerVersion(toManagedClusterAddOn(object), clusterManagementAddOnsV1alpha1, clusterManagementAddOns),
  toServed: (object: ManagedClusterAddOn): ManagedClusterAddOnV1alpha1 =>
    withOwnerVersion(toManagedClusterAddOnV1alpha1(object), clusterManagementAddOns, clusterManagementAddOnsV1alpha1),
} as const;

/** ClusterManagementAddOns, likewise. */
export const clusterManagementAddOnVersions = {
  type: clusterManagementAddOns,
  served: clusterManagementAddOnsV1alpha1,
  fromServed: toClusterManagementAddOn,
  toServed: toClusterManagementAddOnV1alpha1,
} as const;

/** AddOnDeploymentConfigs, likewise: both versions have the same fields. */
export const addOnDeploymentConfigVersions = {
  type: addOnDeploymentConfigs,
  served: addOnDeploymentConfigsV1alpha1,
  fromServed: (config: AddOnDeploymentConfigV1alpha1): AddOnDeploymentConfig => ({
    ...config,
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
  }),
  toServed: (config: AddOnDeploymentConfig): AddOnDeploymentConfigV1alpha1 => ({
    ...config,
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  }),
} as const;

type Step = (object: KubeObject) => KubeObject;

/** One way between two versions of a kind. The API server has checked that an object is of the version that it names. */
const step = <From extends KubeObject, To extends KubeObject>(
  from: ResourceType<From>,
  to: ResourceType<To>,
  convert: (object: From) => To,
): [string, Step] => {
  const isFrom = (object: KubeObject): object is From =>
    object.kind === from.kind && object.apiVersion === apiVersionOf(from);
  return [
    `${from.kind} ${apiVersionOf(from)} ${apiVersionOf(to)}`,
    (object) => (isFrom(object) ? { ...convert(object), apiVersion: apiVersionOf(to), kind: to.kind } : object),
  ];
};

const steps: ReadonlyMap<string, Step> = new Map([
  step(managedClusterAddOnsV1alpha1, managedClusterAddOns, toManagedClusterAddOn),
  step(managedClusterAddOns, managedClusterAddOnsV1alpha1, toManagedClusterAddOnV1alpha1),
  step(clusterManagementAddOnsV1alpha1, clusterManagementAddOns, toClusterManagementAddOn),
  step(clusterManagementAddOns, clusterManagementAddOnsV1alpha1, toClusterManagementAddOnV1alpha1),
]);

/** An object in another version of its kind, as OCM converts it. Throws for kinds and versions that need no conversion or have none. */
export function convertObject(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const convert = steps.get(`${object.kind} ${object.apiVersion} ${apiVersion}`);
  if (!convert) throw new RangeError(`${object.kind} of ${object.apiVersion} cannot be converted to ${apiVersion}`);
  return convert(object);
}
