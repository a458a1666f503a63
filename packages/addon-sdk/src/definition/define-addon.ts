import { KubeError } from '@flotilla/kube';
import { isDnsLabel } from '@flotilla/schema';
import type { AddonDefinition } from './addon-definition.ts';
import type { ConfigDeclarations } from './config.ts';

/** Checks a definition where it is written, so that a mistake shows at start-up and with its name, and freezes it. */
export function defineAddon<const C extends ConfigDeclarations>(definition: AddonDefinition<C>): AddonDefinition<C> {
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
  for (const [key, { type }] of Object.entries(configs)) {
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
  }
}
