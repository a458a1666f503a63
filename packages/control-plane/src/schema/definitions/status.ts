import type { CustomResourceDefinition, CustomResourceNames } from '../custom.ts';
import { conditionOf, type DefinitionCondition, withCondition } from './definition.ts';

interface DefinitionStatus {
  readonly conditions: readonly DefinitionCondition[];
  readonly acceptedNames: CustomResourceNames;
  readonly storedVersions: readonly string[];
}

/** The names that a definition asks for, against those that others of its group hold. */
function decideNames(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): { accepted: CustomResourceNames; condition: DefinitionCondition } {
  const held = others
    .filter((other) => other.spec.group === definition.spec.group)
    .map((other) => other.status?.acceptedNames);
  const resources = new Set(
    held.flatMap((names) => (names ? [names.plural, names.singular, ...(names.shortNames ?? [])] : [])),
  );
  const kinds = new Set(held.flatMap((names) => (names ? [names.kind, names.listKind] : [])));
  const wanted = definition.spec.names;
  const before = definition.status?.acceptedNames;
  const accepted: { -readonly [name in keyof CustomResourceNames]: CustomResourceNames[name] } = {
    kind: '',
    plural: '',
    ...before,
  };
  let condition: DefinitionCondition = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const refuse = (reason: string, names: readonly string[]): void => {
    const messages = names.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = messages.length > 1 ? `[${messages.join(', ')}]` : (messages[0] ?? '');
    condition = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const decide = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string | undefined>): void => {
    const name = wanted[field] ?? '';
    if (name !== before?.[field] && used.has(name)) {
      refuse(`${field.charAt(0).toUpperCase()}${field.slice(1)}Conflict`, [name]);
    } else accepted[field] = name;
  };
  decide('plural', resources);
  decide('singular', resources);
  const taken = (wanted.shortNames ?? []).filter((name) => !before?.shortNames?.includes(name) && resources.has(name));
  if (taken.length > 0) refuse('ShortNamesConflict', taken);
  else if (wanted.shortNames) accepted.shortNames = wanted.shortNames;
  else delete accepted.shortNames;
  decide('kind', kinds);
  decide('listKind', kinds);
  if (wanted.categories) accepted.categories = wanted.categories;
  else delete accepted.categories;
  return { accepted, condition };
}

/** The status that a definition should have now. */
export function statusOf(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): DefinitionStatus {
  const { accepted, condition } = decideNames(definition, others);
  const established: DefinitionCondition =
    conditionOf(definition, 'Established')?.status === 'True' || condition.status === 'True'
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const given = (definition.status?.conditions ?? []) as readonly DefinitionCondition[];
  return {
    conditions: withCondition(withCondition(given, condition, now), established, now),
    acceptedNames: accepted,
    storedVersions: storedVersions(definition),
  };
}

/** Every version that objects may still be stored in. */
function storedVersions(definition: CustomResourceDefinition): string[] {
  const stored = [...(definition.status?.storedVersions ?? [])];
  const storage = definition.spec.versions.find((version) => version.storage)?.name;
  return storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
}
