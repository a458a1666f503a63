import type { AddOnConfigReference, ManagedCluster } from '@flotilla/api-types';
import { joinKey, type ObjectKey } from '@flotilla/kube';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { ConfigDeclarations, ResolvedConfigs } from '../definition/config.ts';
import type { ConfigName } from './chosen-configs.ts';
import { specHash } from './spec-hash.ts';

/** Why a configuration cannot be used now. */
export interface ConfigProblem {
  /**
   * `missing`: the object does not exist. `pending`: the hub has not admitted the version that exists. `refused`: the hub did not choose
   * it for this cluster; it is never read.
   */
  readonly kind: 'missing' | 'pending' | 'refused';
  readonly message: string;
}

/** The configuration objects that a cluster references, and what is wrong with them. */
export interface ConfigResolution {
  readonly configs: ResolvedConfigs;
  readonly problems: readonly ConfigProblem[];
}

/** Where configuration objects come from, and which of them one cluster may have. */
export interface ConfigSource {
  find(type: ResourceType, key: ObjectKey): KubeObject | undefined;
  isChosen(config: ConfigName): boolean;
  /** A cluster by name: the one on which an agent is hosted. */
  cluster?(name: string): ManagedCluster | undefined;
}

const notChosen =
  'but the hub did not choose it for this cluster: name it in spec.configs of the ManagedClusterAddOn, or offer it in the ClusterManagementAddOn';

/**
 * The objects that the status of an add-on references, of the kinds that its definition declares. Whether they are as the hub has
 * admitted them is known by their hashes: a rollout changes the hash of one cluster after the other, but the object at once.
 */
export function resolveConfigs(
  declarations: ConfigDeclarations,
  references: readonly AddOnConfigReference[],
  { find, isChosen }: ConfigSource,
): ConfigResolution {
  const problems: ConfigProblem[] = [];
  const resolve = (type: ResourceType): KubeObject[] =>
    references
      .filter(({ group = '', resource }) => group === type.group && resource === type.plural)
      .flatMap(({ desiredConfig }) => {
        if (!desiredConfig) return [];
        const key = joinKey(desiredConfig.namespace, desiredConfig.name);
        const name = `config ${type.plural} ${key}`;
        if (!isChosen({ ...desiredConfig, group: type.group, resource: type.plural })) {
          problems.push({ kind: 'refused', message: `${name} is in the status, ${notChosen}` });
          return [];
        }
        const object = find(type, key);
        if (!object) {
          problems.push({ kind: 'missing', message: `${name} does not exist` });
          return [];
        }
        if (!desiredConfig.specHash) {
          problems.push({ kind: 'pending', message: `${name} has no desired spec hash yet` });
        } else if (specHash(object) !== desiredConfig.specHash) {
          problems.push({ kind: 'pending', message: `${name} differs from the version that is rolled out here` });
        }
        return [object];
      });
  const configs = Object.fromEntries(
    Object.entries(declarations).map(([name, { type, many }]) => {
      const found = resolve(type);
      return [name, many ? found : found[0]];
    }),
  );
  return { configs, problems };
}
