import type { ClusterManagementAddOn } from '../kinds/addon/cluster-management-add-on.ts';
import type { ClusterManagementAddOnV1alpha1 } from '../kinds/addon/cluster-management-add-on.v1alpha1.ts';
import { ObjectName } from '../names/objects/custom-resources.ts';

/** v1alpha1 → v1beta1. A kind of configuration without a default gets a name that means none; addOnConfiguration is dropped. */
export function toClusterManagementAddOn(old: ClusterManagementAddOnV1alpha1): ClusterManagementAddOn {
  const { spec = {}, status, ...rest } = old;
  const { addOnConfiguration: _, supportedConfigs, ...kept } = spec;
  const { defaultconfigReferences: defaultConfigReferences, ...progress } = status ?? {};
  return {
    ...rest,
    spec: {
      ...kept,
      ...(supportedConfigs && {
        defaultConfigs: supportedConfigs.map(({ defaultConfig, ...kind }) => ({
          ...kind,
          ...(defaultConfig ?? { name: ObjectName.NoDefaultConfig }),
        })),
      }),
    },
    ...(status && { status: { ...progress, ...(defaultConfigReferences && { defaultConfigReferences }) } }),
  };
}

/** v1beta1 → v1alpha1. */
export function toClusterManagementAddOnV1alpha1(addOn: ClusterManagementAddOn): ClusterManagementAddOnV1alpha1 {
  const { spec = {}, status, ...rest } = addOn;
  const { defaultConfigs, ...kept } = spec;
  const { defaultConfigReferences: defaultconfigReferences, ...progress } = status ?? {};
  return {
    ...rest,
    spec: {
      ...kept,
      ...(defaultConfigs && {
        supportedConfigs: defaultConfigs.map(({ name, namespace, ...kind }) => {
          if (name === '' || name === ObjectName.NoDefaultConfig) return kind;
          return { ...kind, defaultConfig: { name, ...(namespace !== undefined && { namespace }) } };
        }),
      }),
    },
    ...(status && { status: { ...progress, ...(defaultconfigReferences && { defaultconfigReferences }) } }),
  };
}
