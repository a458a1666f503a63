import { conditionVocabularies } from './condition-vocabularies.ts';
import type { ConditionTable } from './conditions/condition-table.ts';
import { type FeatureGateEntry, featureGates, gatedKindOf } from './feature-gates.ts';
import { apiGroupTable } from './groups.ts';
import type { NameTable } from './name-table.ts';
import { type KindName, kindNames, resourceTable } from './resources.ts';
import { vocabularies } from './vocabularies.ts';

/** One name, wherever it is kept, in one shape. */
export interface Name {
  /** How code refers to it: `Label.ClusterName`. */
  readonly constant: string;
  /** The value, or the template of a composed name with its parts in braces. */
  readonly value: string;
  readonly on: readonly KindName[];
  readonly meaning: string;
}

const namesOfTable = ([vocabulary, table]: [string, NameTable]): Name[] =>
  Object.entries(table).map(([key, entry]) => ({
    constant: `${vocabulary}.${key}`,
    value: 'value' in entry ? entry.value : entry.template,
    on: entry.on,
    meaning: entry.meaning,
  }));

const namesOfConditions = ([object, table]: [string, ConditionTable]): Name[] =>
  Object.entries(table).flatMap(([key, { type, on, meaning, reasons }]) => [
    { constant: `${object}Condition.${key}`, value: type, on, meaning },
    ...Object.entries(reasons).flatMap(([status, byReason]) =>
      Object.entries(byReason).map(([reason, when]) => ({
        constant: `${object}Reason.${key}.${reason}`,
        value: reason,
        on,
        meaning: `${type} ${status}: ${when}`,
      })),
    ),
  ]);

const kindsIn = (group: string): KindName[] => kindNames.filter((kind) => resourceTable[kind].group === group);

const namesOfGroups = (): Name[] =>
  Object.entries(apiGroupTable).map(([key, { value, meaning }]) => ({
    constant: `ApiGroup.${key}`,
    value,
    on: kindsIn(value),
    meaning,
  }));

const namesOfGates = (): Name[] =>
  Object.entries<FeatureGateEntry>(featureGates).map(([name, gate]) => ({
    constant: `featureGates.${name}`,
    value: name,
    on: [...new Set(gate.components.map(gatedKindOf))],
    meaning: gate.meaning,
  }));

/** All names. Computed when asked for, so that a program that needs one label does not load the whole list. */
export const names = (): readonly Name[] => [
  ...namesOfGroups(),
  ...Object.entries<NameTable>(vocabularies).flatMap(namesOfTable),
  ...Object.entries<ConditionTable>(conditionVocabularies).flatMap(namesOfConditions),
  ...namesOfGates(),
];

/** All names that stand on a kind. */
export const namesOn = (kind: KindName): readonly Name[] => names().filter((name) => name.on.includes(kind));
