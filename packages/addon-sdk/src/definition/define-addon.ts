import { KubeError } from '@flotilla/kube';
import type { CustomResourceDefinition } from '@flotilla/kube/kinds';
import { isDnsLabel, type ResourceType } from '@flotilla/schema';
import type { AddonDefinition } from './addon-definition.ts';
import type { ConfigDeclarations } from './config.ts';

/** Of a definition that declares none, so that the compiler refuses to read one. */
type NoConfigs = Readonly<Record<never, never>>;

/** Checks a definition where it is written, so that a mistake shows at start-up and with its name, and freezes it. */
export function defineAddon<const C extends ConfigDeclarations = NoConfigs>(
  definition: AddonDefinition<C>,
): AddonDefinition<C> {
  const { name, configs } = definition;
  // Parts of names of works, Secrets and users.
  if (!isDnsLabel(name)) {
    throw new KubeError('Config', `name of the add-on is ${JSON.stringify(name)}`, {
      hint: 'Use lower-case letters, digits and dashes, such as my-addon.',
    });
  }
  refuseConfigs(name, configs ?? {});
  return Object.freeze({ ...definition });
}

function refuseConfigs(addon: string, configs: ConfigDeclarations): void {
  const seen = new Map<string, string>();
  for (const [key, { type, definition }] of Object.entries(configs)) {
    const field = `configs.${key} of add-on ${addon}`;
    if (!type.version || !type.plural) {
      throw new KubeError('Config', `${field} has no ${type.version ? 'resource' : 'version'}`, {
        hint: 'Give group, version, kind and plural of a kind that the hub serves.',
      });
    }
    const resource = `${type.plural}.${type.group}`;
    const other = seen.get(resource);
    if (other !== undefined) {
      throw new KubeError('Config', `${field} is of the kind ${resource}, as configs.${other} is`, {
        hint: 'Declare a kind once, with { many: true } if a cluster may have several objects of it.',
      });
    }
    seen.set(resource, key);
    if (definition) refuseOtherDefinition(field, type, definition.spec);
  }
}

/** A definition of another kind would be installed, and the kind of the add-on would still not be served. */
function refuseOtherDefinition(field: string, type: ResourceType, spec: CustomResourceDefinition['spec']): void {
  const served = spec.versions.filter((version) => version.served).map(({ name }) => name);
  if (spec.group === type.group && spec.names.plural === type.plural && served.includes(type.version)) return;
  const given = `${spec.names.plural}.${spec.group} in ${served.join(', ')}`;
  throw new KubeError(
    'Config',
    `${field} is ${type.plural}.${type.group} in ${type.version}, but its definition serves ${given}`,
    {
      hint: 'Make the definition of the same kind: toCustomResourceDefinition(defineKind({ resource, schema })).',
    },
  );
}
