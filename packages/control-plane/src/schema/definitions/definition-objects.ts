import type { Json, JsonObject } from '@flotilla/schema';
import type { ObjectSchemas } from '../../contracts/object-schemas.ts';
import type { FieldCause } from '../../errors/api-errors.ts';
import { child, children, ensure, fill, textAt } from '../built-in/defaults/fill.ts';
import { Field } from '../field.ts';
import { validateMetadata, validateMetadataUpdate } from '../metadata.ts';
import { dnsSubdomain } from '../names.ts';
import { definitionStorage } from './definition.ts';
import { validateDefinition } from './validation.ts';

/** The built-in kinds with the rules of CustomResourceDefinition, which is one of them. */
export function withDefinitionRules(base: ObjectSchemas): ObjectSchemas {
  return {
    prune: base.prune,
    applyDefaults(info, object) {
      // A copy, down to all that is changed here.
      const draft = base.applyDefaults(info, object);
      if (info.storage === definitionStorage) defaultDefinition(draft as JsonObject);
      return draft;
    },
    async validate(info, object, old, user) {
      if (info.storage !== definitionStorage) return base.validate(info, object, old, user);
      const causes: FieldCause[] = [];
      const root = Field.root(object as JsonObject, causes);
      if (old) validateMetadataUpdate(root.at('metadata'));
      else validateMetadata(root.at('metadata'), { namespaced: false, name: nameRule(root) });
      await validateDefinition(root, old && Field.root(old as JsonObject, []), user);
      return causes;
    },
  };
}

/** The name says which resource is defined, so that no two definitions can define the same. */
const nameRule =
  (definition: Field) =>
  (name: string): readonly string[] => {
    const spec = definition.at('spec');
    const wanted = `${spec.at('names').at('plural').text}.${spec.at('group').text}`;
    return [...dnsSubdomain(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
  };

function defaultDefinition(definition: JsonObject): void {
  const spec = ensure(definition, 'spec');
  const names = ensure(spec, 'names');
  const kind = textAt(names, 'kind');
  if (kind !== '') fillEmpty(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  fillEmpty(spec, { conversion: { strategy: 'None' } });
  const service = child(child(child(spec, 'conversion') ?? {}, 'webhook') ?? {}, 'clientConfig');
  const target = service && child(service, 'service');
  if (target) fill(target, { port: 443 });
  const storage = children(spec, 'versions').find((version) => version.storage === true);
  const status = ensure(definition, 'status');
  const stored = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  const name = textAt(storage, 'name');
  if (name !== '' && !stored.includes(name)) status.storedVersions = [...stored, name];
}

/** An empty text counts as absent. */
function fillEmpty(object: JsonObject, defaults: Readonly<Record<string, Json>>): void {
  for (const [name, value] of Object.entries(defaults)) if (!object[name]) object[name] = value;
}
