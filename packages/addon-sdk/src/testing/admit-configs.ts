import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { joinKey, type KubeClient, KubeError, keyOf } from '@flotilla/kube';
import { specHash } from '../configs/spec-hash.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';

/** Puts the configurations that an add-on names into its status, as the add-on manager of a hub does without a rollout. */
export async function admitConfigs(
  hub: KubeClient,
  addon: ManagedClusterAddOn,
  definition: AddonDefinition | undefined,
): Promise<void> {
  const declared = Object.values(definition?.configs ?? {});
  const configReferences = await Promise.all(
    (addon.spec.configs ?? []).map(async ({ group = '', resource, namespace, name }) => {
      const type = declared.find((one) => one.type.group === group && one.type.plural === resource)?.type;
      if (!type) {
        throw new KubeError(
          'Config',
          `${resource}.${group} is not a kind of configuration of ${addon.metadata?.name}`,
          {
            hint: `It takes ${declared.map((one) => `${one.type.plural}.${one.type.group}`).join(', ') || 'none'}.`,
          },
        );
      }
      const object = await hub.resource(type).find(joinKey(namespace, name));
      const desiredConfig = { ...(namespace && { namespace }), name, specHash: object ? specHash(object) : '' };
      return { group, resource, desiredConfig };
    }),
  );
  if (configReferences.length === 0) return;
  const body = { status: { configReferences } };
  await hub.resource(managedClusterAddOns).status.patch(keyOf(addon), { type: 'merge', body });
}
