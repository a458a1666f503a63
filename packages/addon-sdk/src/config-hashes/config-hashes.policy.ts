import {
  type AddOnConfig,
  type AddOnConfigReference,
  type ClusterManagementAddOn,
  type ClusterManagementAddOnStatus,
  type ConfigSpecHash,
  kindKeyOf,
  type ManagedClusterAddOn,
  scopedConfig,
} from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { specHash } from '../configs/spec-hash.ts';

/** A kind of configuration and what it finds; undefined for kinds that the add-on does not declare. */
export type FindDeclared = (group: string, resource: string) => ((key: string) => KubeObject | undefined) | undefined;

interface Reference {
  group?: string;
  resource: string;
  desiredConfig?: ConfigSpecHash;
}

/** References of a ClusterManagementAddOn with the hashes of what exists; what does not has none. Other kinds stay as they are. */
function hashed<R extends Reference>(references: readonly R[], find: FindDeclared): R[] {
  return references.map((reference) => {
    const { group = '', resource, desiredConfig } = reference;
    const lookup = find(group, resource);
    if (!desiredConfig || !lookup) return reference;
    const object = lookup(joinKey(desiredConfig.namespace, desiredConfig.name));
    return { ...reference, desiredConfig: { ...desiredConfig, specHash: object ? specHash(object) : '' } };
  });
}

/** The part of the status of a ClusterManagementAddOn that has hashes. */
export function hashedStatus(
  { status }: ClusterManagementAddOn,
  find: FindDeclared,
): Pick<ClusterManagementAddOnStatus, 'defaultConfigReferences' | 'installProgressions'> {
  const { defaultConfigReferences, installProgressions } = status ?? {};
  return {
    ...(defaultConfigReferences && { defaultConfigReferences: hashed(defaultConfigReferences, find) }),
    ...(installProgressions && {
      installProgressions: installProgressions.map((progression) => ({
        ...progression,
        ...(progression.configReferences && { configReferences: hashed(progression.configReferences, find) }),
      })),
    }),
  };
}

/**
 * References of a ManagedClusterAddOn with the generation of what exists. Those that its own spec names get their hash here; the others
 * get it from the ClusterManagementAddOn, when their rollout comes to this cluster.
 */
export function observedReferences({ spec, status }: ManagedClusterAddOn, find: FindDeclared): AddOnConfigReference[] {
  return (status?.configReferences ?? []).map((reference) => {
    const { group = '', resource, desiredConfig } = reference;
    const object = desiredConfig && find(group, resource)?.(joinKey(desiredConfig.namespace, desiredConfig.name));
    if (!object) return reference;
    const isOwn = (spec?.configs ?? []).some((config) => isSameConfig(config, reference));
    return {
      ...reference,
      lastObservedGeneration: object.metadata?.generation ?? 0,
      desiredConfig: { ...desiredConfig, ...(isOwn && { specHash: specHash(object) }) },
    };
  });
}

const isSameConfig = (named: AddOnConfig, { group, resource, desiredConfig }: AddOnConfigReference): boolean => {
  const config = scopedConfig(named);
  return (
    kindKeyOf(config) === kindKeyOf({ group, resource }) &&
    (config.namespace ?? '') === (desiredConfig?.namespace ?? '') &&
    config.name === desiredConfig?.name
  );
};
