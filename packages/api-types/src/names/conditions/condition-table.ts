import type { KindName } from '../resources.ts';

type Status = 'True' | 'False' | 'Unknown';

/** One condition type with its reasons beside it: the key of a reason is its value on the wire. */
interface ConditionEntry {
  readonly type: string;
  /** The kind whose status carries the condition. */
  readonly on: readonly KindName[];
  /** The controllers that write it. Two owners mean that they write different reasons. */
  readonly owners: readonly string[];
  /** What True means. */
  readonly meaning: string;
  /** By status, each reason with when it is given; empty when the condition is a copy or is never written. */
  readonly reasons: { readonly [S in Status]?: Readonly<Record<string, string>> };
}

/** The conditions of one object by the key under which code refers to them. */
export type ConditionTable = Readonly<Record<string, ConditionEntry>>;

type KeyOfEach<T> = T extends unknown ? keyof T : never;

/** Condition types of a table. */
export type ConditionTypes<Table extends ConditionTable> = { readonly [Key in keyof Table]: Table[Key]['type'] };

/** Reasons of a table by condition. */
export type ConditionReasons<Table extends ConditionTable> = {
  readonly [Key in keyof Table]: {
    readonly [Reason in KeyOfEach<Table[Key]['reasons'][keyof Table[Key]['reasons']]>]: Reason;
  };
};

/** Derives the condition types that code uses (`ManagedClusterCondition.Joined`). */
export const conditionTypesOf = <const Table extends ConditionTable>(table: Table): ConditionTypes<Table> =>
  Object.fromEntries(Object.entries(table).map(([key, entry]) => [key, entry.type])) as ConditionTypes<Table>;

/** Derives the reasons that code uses (`ManagedClusterReason.Joined.ManagedClusterJoined`). */
export const conditionReasonsOf = <const Table extends ConditionTable>(table: Table): ConditionReasons<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([key, entry]) => {
      const reasons = Object.values(entry.reasons).flatMap((byReason) => Object.keys(byReason));
      return [key, Object.fromEntries(reasons.map((reason) => [reason, reason]))];
    }),
  ) as ConditionReasons<Table>;
