import type { ObjectSchemas } from '../contracts/object-schemas.ts';
import type { ResourceInfo } from '../contracts/resource-info.ts';
import { builtInObjects } from './built-in/objects.ts';
import { createCustomObjects } from './custom-objects.ts';
import { withDefinitionRules } from './definitions/definition-objects.ts';

/** What schemas do to objects of any kind the server knows. */
export function createObjectSchemas(): ObjectSchemas {
  const custom = createCustomObjects();
  const builtIn = withDefinitionRules(builtInObjects);
  const of = ({ source }: ResourceInfo): ObjectSchemas => (source === 'custom' ? custom : builtIn);
  return {
    prune: (info, object) => of(info).prune(info, object),
    applyDefaults: (info, object) => of(info).applyDefaults(info, object),
    validate: (info, object, old, user) => of(info).validate(info, object, old, user),
  };
}
